"""Runners of several containers of one machine may share the folders of control groups: each keeps to its own."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright.sandbox.holder import cgroups, owner

RUNNER = """
import json, os, sys
from benchwright.sandbox.holder import cgroups, owner
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
with NamespaceProvider() as provider, provider.open(SandboxSpec(tracing="off")) as sandbox:
    namespace = owner.identity().split(".")[1]
    made = [f"{folder}/{name}" for folder in {parent.folder for parent in cgroups.parents().values()}
            for name in os.listdir(folder) if f".{namespace}." in name]
    print(json.dumps(made), flush=True)
    for line in sys.stdin:
        print(json.dumps(cgroups.remove_stale(cgroups.parents())), flush=True)
"""


@pytest.fixture
def parent():
    """Where a control group can be made."""
    found = cgroups.parents()
    if os.geteuid() != 0 or not found:
        pytest.skip("needs root and control groups that can be written")
    return next(iter(found.values()))


@pytest.fixture
def apart(parent):
    """The same in a group of this test's own, where no run beside it clears up."""
    folder = Path(parent.folder) / f"apart-{os.getpid()}"
    folder.mkdir()
    yield replace(parent, folder=str(folder))
    cgroups.remove((str(folder),))


@contextmanager
def runner():
    """A runner with a living sandbox, in a process namespace of its own: its groups, and a way to let it clear up."""
    process = subprocess.Popen(
        ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, "-c", RUNNER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def clear_up():
        process.stdin.write("\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    try:
        yield json.loads(process.stdout.readline()), clear_up
    finally:
        process.communicate()


def number(group):
    return group.rpartition("-")[0].split(".")[2]


def elsewhere(identity):
    boot, namespace, *rest = identity.split(".")
    return ".".join([boot, str(int(namespace) + 1), *rest])


def earlier(identity):
    return f"{identity.rpartition('.')[0]}.1"


class TestFate:
    def test_this_process_lives_and_one_of_its_number_that_began_at_another_time_is_gone(self):
        assert owner.fate(owner.identity()) == "living"
        assert owner.fate(earlier(owner.identity())) == "gone"

    def test_whatever_ran_before_the_machine_was_started_is_gone(self):
        assert owner.fate(f"{'0' * 8}-0000-0000-0000-{'0' * 12}.{owner.identity().partition('.')[2]}") == "gone"

    def test_a_dead_process_is_gone_before_its_parent_took_note(self):
        program = "from benchwright.sandbox.holder import owner; print(owner.identity(), flush=True); input()"
        with subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:
            identity = child.stdout.readline().strip()
            assert owner.fate(identity) == "living"
            child.kill()
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            assert owner.fate(identity) == "gone"

    @pytest.mark.parametrize("name", ["", "12", "a.b.c.d", "benchwright", f"{'g' * 36}.1.1.1", f"{'0' * 36}.1.1.1\n"])
    def test_what_is_no_identity_is_nobodys(self, name):
        assert owner.fate(name) == "unknown"

    def test_a_process_of_another_namespace_is_not_judged_by_what_has_its_number_here(self):
        assert owner.fate(elsewhere(earlier(owner.identity()))) == "unknown"


class TestControlGroups:
    @pytest.mark.usefixtures("outside_chroot")
    def test_runners_of_several_containers_keep_their_groups_apart(self, parent):
        with runner() as (first, _), runner() as (second, clear_up):
            assert first
            assert second
            assert {number(group) for group in first} == {
                number(group) for group in second
            }  # numbers do not tell them apart
            assert not set(first) & set(second)
            assert not set(clear_up()) & {*first, *second}
            assert not set(cgroups.remove_stale(cgroups.parents())) & {*first, *second}
            assert all(Path(group).is_dir() for group in (*first, *second))
        assert not [group for group in (*first, *second) if Path(group).exists()]

    def test_an_empty_group_goes_with_its_supervisor_but_not_one_that_another_container_just_made(self, apart):
        names = {
            "dead": earlier(owner.identity()),
            "elsewhere": elsewhere(earlier(owner.identity())),
            "here": owner.identity(),
        }
        groups = {name: Path(apart.folder) / f"benchwright-{identity}-1" for name, identity in names.items()}
        for group in groups.values():
            group.mkdir()
        try:
            removed = cgroups.remove_stale({apart.controller: apart})
            assert {name for name, group in groups.items() if str(group) in removed} == {"dead"}
            assert {name for name, group in groups.items() if group.exists()} == {"elsewhere", "here"}
        finally:
            cgroups.remove(tuple(map(str, groups.values())))

    def test_a_group_that_a_vanished_container_left_empty_goes_after_an_hour_and_one_in_use_stays(self, apart):
        identity = elsewhere(owner.identity())
        left, used = (Path(apart.folder) / f"benchwright-{identity}-{number}" for number in (1, 2))
        with subprocess.Popen(["sleep", "600"]) as inside:
            try:
                for group in (left, used):
                    group.mkdir()
                    os.utime(group, (time.time() - 7200,) * 2)
                (used / "cgroup.procs").write_text(str(inside.pid))
                removed = cgroups.remove_stale({apart.controller: apart})
                assert (str(left) in removed, str(used) in removed) == (True, False)
                assert used.is_dir()
            finally:
                inside.kill()
                inside.wait()
                cgroups.remove((str(left), str(used)))

    def test_one_whose_last_process_is_about_to_leave_is_waited_for(self, apart):
        group = Path(apart.folder) / "leaving"
        group.mkdir()
        with subprocess.Popen(["sleep", "0.2"]) as inside:
            (group / "cgroup.procs").write_text(str(inside.pid))
            calls = 0
            while group.exists():
                cgroups.remove((str(group),))
                calls += 1
            assert inside.wait() == 0
        assert calls < 100  # a busy machine may need more than one; without waiting it would be thousands

    def test_a_name_that_only_looks_like_ours_is_left_alone(self, parent):
        group = Path(parent.folder) / "benchwright-4194303-1"
        group.mkdir()
        try:
            assert str(group) not in cgroups.remove_stale({parent.controller: parent})
            assert group.is_dir()
        finally:
            group.rmdir()
