"""The agents that a run can use."""
