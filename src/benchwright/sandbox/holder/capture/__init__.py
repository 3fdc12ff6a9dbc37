"""What is put on the path of a sandbox's Python: it writes down what charts show when their pictures are saved.

These files run with the toolbox's own Python inside the sandbox, next to the agent's code; nothing here is trusted.
"""
