"""Sandboxes start in a chroot as well, where the kernel by itself makes no user namespaces."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import benchwright

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can change its root"),
    pytest.mark.usefixtures("outside_chroot"),
]

MAKE = """
set -e
root=$1 kind=$2; shift 2
[ "$kind" = plain ] || mount --bind "$root" "$root"
for folder in usr proc sys dev; do mkdir -p "$root/$folder"; mount --rbind "/$folder" "$root/$folder"; done
for folder in bin sbin lib lib64 lib32; do [ ! -L "/$folder" ] || ln -sfn "usr/$folder" "$root/$folder"; done
for folder in "$SOURCES" "$PREFIX" "$BASE"; do mkdir -p "$root$folder"; mount --rbind "$folder" "$root$folder"; done
mkdir -p "$root/tmp" "$root/run" "$root/etc"
exec chroot "$root" "$@"
"""

TRIAL = """
import json, os, sys
from pathlib import Path
from benchwright.sandbox.base import Exec, Room, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
with NamespaceProvider(user=json.loads(sys.argv[1])) as provider:
    with provider.open(SandboxSpec(rooms=(Room("sales", Path("/room")),))) as sandbox:
        said = sandbox.run(Exec(("cat", "/data/a.csv"))).stdout.decode()
        read = [file.path for file in sandbox.accessed().files]
    print(json.dumps([said, read, os.listdir(f"/proc/{provider.supervisor}/root")]))
"""

UNSHARE = """
import sys
from benchwright.sandbox.holder import rooting, system
if sys.argv[1] == "settled":
    rooting.settle()
system.unshare(system.CLONE_NEWUSER)
"""


@pytest.fixture(params=["plain", "mounted"])
def in_chroot(request, tmp_path):
    """Run a program in a folder that is made the root, itself a mount or not."""
    tmp_path.chmod(0o755)
    root = tmp_path / "root"
    (root / "room").mkdir(parents=True)
    (root / "room" / "a.csv").write_text("a\n1\n")
    sources = str(Path(benchwright.__file__).parents[1])
    places = {"SOURCES": sources, "PREFIX": sys.prefix, "BASE": sys.base_prefix, "PYTHONPATH": sources}

    def run(program, *words):
        command = [
            "unshare",
            "--mount",
            "sh",
            "-c",
            MAKE,
            "sh",
            root,
            request.param,
            sys.executable,
            "-c",
            program,
            *words,
        ]
        return subprocess.run(
            command, env={**os.environ, **places, "HOME": "/"}, capture_output=True, text=True, check=False
        )

    yield run
    shutil.rmtree(root)


@pytest.mark.parametrize("user", ["null", "65534"])
def test_a_sandbox_starts_in_a_chroot_and_its_supervisor_sees_no_more_than_that(in_chroot, user):
    done = in_chroot(TRIAL, user)
    assert done.returncode == 0, done.stderr[-2000:]
    said, read, root = json.loads(done.stdout)
    assert (said, read) == ("a\n1\n", ["a.csv"])
    assert "room" in root
    assert "boot" not in root


def test_user_namespaces_can_be_made_once_the_root_is_settled_and_not_before(in_chroot):
    assert "Operation not permitted" in in_chroot(UNSHARE, "as it is").stderr
    assert in_chroot(UNSHARE, "settled").returncode == 0


def test_outside_a_chroot_nothing_changes():
    program = "import os; from benchwright.sandbox.holder import rooting; n = os.readlink('/proc/self/ns/mnt'); rooting.settle(); print(n == os.readlink('/proc/self/ns/mnt'))"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "True\n"
    )
