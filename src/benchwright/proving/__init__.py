"""Prove a suite before agents are judged by it: lint its tasks, run its reference solutions, count what it holds."""
