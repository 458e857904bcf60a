"""The paper's study: trials, their store, and what is read off it."""
