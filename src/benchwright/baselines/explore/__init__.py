"""A program without a model that searches a folder of data files for a question, and computes.

It runs inside the sandbox, packed as a zip application: it imports nothing of Benchwright's, and from outside the
standard library only what the toolbox has.
"""
