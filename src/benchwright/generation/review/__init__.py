"""Review of generated tasks by people: pages go out, decisions come back, are held against each other and applied."""
