"""What leaves the house: plots, reports, pages."""
