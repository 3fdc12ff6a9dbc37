"""A model to talk to, and a scripted one."""
