"""From data folders and skills to new, proved tasks."""
