"""Choose few tasks that cover many skills: greedily or exactly, under a budget, demands and quotas."""
