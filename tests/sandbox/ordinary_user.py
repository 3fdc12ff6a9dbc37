"""Runs a command as an ordinary user who reaches our Python and this checkout, wherever root keeps them.

Arguments: the user's number (0: stay root), and the command. What lies behind a folder that is closed to others (as /root is) is shown
at its own path in a mount namespace of the command's own; nothing else of such a folder is.
"""

import os
import stat
import sys
from pathlib import Path

from benchwright.sandbox.holder import rooting, system

CHECKOUT = Path(__file__).parents[2]


def closed_ancestor(path):
    """The topmost folder on the way that others may not pass; None where there is none."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & stat.S_IXOTH), None)


def show(paths):
    """Cover closed folders with passable ones that hold these paths alone."""
    hidden = [(path, closed_ancestor(path)) for path in paths if path.exists()]
    kept = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path, closed in hidden if closed is not None}
    trees = {path: system.clone_tree(descriptor) for path, descriptor in kept.items()}
    for folder in sorted({closed for _, closed in hidden if closed is not None}):
        system.mount("tmpfs", str(folder), "tmpfs", 0, "mode=755")
    for path in sorted(trees):
        path.mkdir(parents=True, exist_ok=True)
        system.attach_tree(trees[path], str(path))


def main():
    uid, *command = sys.argv[1:]
    rooting.settle()  # where this is a chroot, an ordinary user could make no namespaces
    system.unshare(system.CLONE_NEWNS)
    system.mount(None, "/", None, system.MS_REC | system.MS_PRIVATE)
    show([Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), CHECKOUT])
    os.chdir(CHECKOUT)
    os.setgroups([])
    os.setresgid(int(uid), int(uid), int(uid))
    os.setresuid(int(uid), int(uid), int(uid))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
