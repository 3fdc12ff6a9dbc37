"""The small processes that build and hold sandboxes: standard library only, loaded without site-packages."""
