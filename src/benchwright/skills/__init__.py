"""Skills: what steps of solutions have in common, and which follow which."""
