"""The way from a program in a closed sandbox to its attempt's model, and to nothing else.

The program calls an address of its own loopback. The socket that listens there is held by this process; every request
is answered here, and the model is called through Inspect: keys stay outside, and usage, limits and budget count.
"""

from benchwright.live.bridge.server import ModelBridge

__all__ = ["ModelBridge"]
