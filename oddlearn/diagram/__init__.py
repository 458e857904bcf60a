"""What a diagram is: skeleton, splits, routing and the file format."""
