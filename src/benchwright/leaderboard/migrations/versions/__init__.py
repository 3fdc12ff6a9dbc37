"""The steps, in their order by number."""
