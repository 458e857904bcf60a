"""Decision diagrams: skeleton, splits, routing and the file format."""
