"""Compiled inner loops: arrays in, arrays out, no GIL; nothing here imports the rest of oddlearn."""
