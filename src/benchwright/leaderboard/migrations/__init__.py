"""How the database came to be what `models` says, step by step."""
