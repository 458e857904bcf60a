"""A solver in a process of its own: the parent's side, the child's side and the messages between them."""
