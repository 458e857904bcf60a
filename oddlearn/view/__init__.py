"""The parts that pictures and texts of a model share: numbers, conditions, flows, labels, layout, colours."""
