"""Work on many items by all nodes of a Ray cluster; which kinds of work there are is told by those who ask for it."""
