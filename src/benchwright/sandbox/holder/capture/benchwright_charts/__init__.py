"""Charts in words: what a figure shows, written beside its picture when it is saved."""
