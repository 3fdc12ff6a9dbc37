"""Relations that a model suggests because values are written in two ways: each is measured before it counts."""
