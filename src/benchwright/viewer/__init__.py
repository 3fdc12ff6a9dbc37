"""The viewer: runs in a browser, live while they go on, rendered on the server."""
