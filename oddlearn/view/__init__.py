"""What every picture and text of a model shares: numbers, conditions, flows, labels, layout and colours."""
