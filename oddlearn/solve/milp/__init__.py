"""The paper's mixed-integer linear program, solved by one of several back ends."""
