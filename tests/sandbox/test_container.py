"""What is special about containers: their users, their filter, what they refuse, and that nothing of them is left."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from benchwright.errors import Broken, EnvironmentFault, InputError
from benchwright.sandbox import container_engine, image, leftovers
from benchwright.sandbox.base import Exec, Python, Room, SandboxSpec, Shell
from benchwright.sandbox.choice import MAKERS
from benchwright.sandbox.choice import provider as chosen
from benchwright.sandbox.container import ContainerProvider
from benchwright.sandbox.container_seccomp import profile
from benchwright.sandbox.container_start import STAGES
from benchwright.sandbox.holder import owner, seccomp
from benchwright.sandbox.holder.plan import Protections
from benchwright.trajectory import Measured

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are tested as root only")


@pytest.fixture(scope="module")
def engine():
    try:
        return container_engine.usable("podman")[0]
    except EnvironmentFault as error:
        pytest.skip(f"no podman to try: {error.found or error.what}")


@pytest.fixture(scope="module")
def provider(engine):
    with ContainerProvider("podman") as provider:
        yield provider


@pytest.fixture(scope="module")
def sandbox(provider, room):
    with provider.open(SandboxSpec(rooms=(Room("sales", room),))) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def room():
    with tempfile.TemporaryDirectory(prefix="benchwright-room-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "a.csv").write_text("a\n1\n")
        (folder / "b.csv").write_text("b\n2\n")
        yield folder


OURS = f".{os.getpid()}."


def mounts(of=OURS):
    """Where the host has something mounted that is this process's, or nobody's: tests beside this one come and go."""
    points = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    return {
        point
        for point in points
        if "/run/benchwright" in point and (of in point or f"{STAGES}/benchwright-" not in point)
    }


def records(engine, of=OURS):
    """The names of containers that the engine knows, of this process if no other part of a name is asked for."""
    return [name for name in container_engine._listed(engine) if of in name]


def eventually(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid):
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


class TestUsers:
    def test_no_process_maps_to_the_hosts_root(self, sandbox):
        sandbox.run(Shell("true"))
        processes = [psutil.Process(sandbox.pid), *psutil.Process(sandbox.pid).children(recursive=True)]
        assert len(processes) >= 2
        for process in processes:
            inside, outside, count = Path(f"/proc/{process.pid}/uid_map").read_text().split()
            assert (inside, int(outside), count) == ("1000", sandbox.uid, "1")
            assert 400_000 <= sandbox.uid <= 465_535
            assert set(process.uids()) == {sandbox.uid}

    def test_without_a_user_of_its_own_they_would(self, engine):
        with (
            ContainerProvider("podman", protections=Protections(own_user=False)) as provider,
            provider.open(SandboxSpec()) as sandbox,
        ):
            assert 0 in psutil.Process(sandbox.pid).uids()

    def test_two_attempts_have_two_users(self, provider, sandbox):
        with provider.open(SandboxSpec()) as other:
            assert other.uid != sandbox.uid


class TestWhatIsSeen:
    def test_file_access_is_measured_by_fanotify_on_an_overlay_of_its_own(self, provider, room):
        with provider.open(SandboxSpec(rooms=(Room("sales", room),))) as sandbox:
            sandbox.mark(3)
            sandbox.run(Shell("cat /data/a.csv; ls -l /data"))
            (room / "b.csv").read_bytes()
            found = sandbox.accessed()
        assert isinstance(found, Measured)
        assert [(file.path, file.step) for file in found.files] == [("a.csv", 3)]
        assert sandbox.isolation.tracer == "fanotify"
        assert sandbox.overlays

    def test_strace_cannot_be_asked_for(self, provider):
        with pytest.raises(EnvironmentFault, match="cannot be traced by strace"):
            provider.open(SandboxSpec(tracing="strace"))

    def test_nothing_of_the_host_is_in_etc_sys_or_the_environment(self, sandbox):
        text = sandbox.run(Shell("cat /etc/hosts /etc/passwd /etc/resolv.conf; ls /sys /home /mnt /srv; env")).stdout
        assert b"root:" not in text
        assert b"localhost sandbox" in text
        assert os.uname().nodename.encode() not in text.replace(b"sandbox", b"") or len(os.uname().nodename) < 4
        assert b"container=" not in text

    def test_the_record_says_that_it_was_podman_and_what_kept_each_limit(self, sandbox):
        assert (sandbox.isolation.provider, sandbox.isolation.level) == ("podman", "podman")
        assert (sandbox.isolation.network, sandbox.isolation.seccomp) == ("loopback only", True)
        assert sandbox.isolation.limits["disk"] == "quota"


class TestProfile:
    """The engine's own filter, with ours not there yet: what a container's first process could do."""

    CODE = (
        "import ctypes, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "results = {'namespace': libc.unshare(0x20000), 'mount': libc.mount(b't', b'/tmp', b'tmpfs', 0, 0),"
        " 'key': libc.syscall(250, 0, 0, 0, 0, 0), 'user namespace': libc.unshare(0x10000000)}\n"
        "print({name for name, result in results.items() if result >= 0})"
    )

    def run(self, engine, folder, filter_):
        (folder / "profile.json").write_text(profile())
        option = folder / "profile.json" if filter_ else "unconfined"
        words = ["--network", "none", "--cap-add", "sys_admin", "-v", "/usr:/usr:ro", "-v", "/tmp"]
        words += ["--security-opt", f"seccomp={option}", image.name(), "/usr/bin/python3", "-I", "-c", self.CODE]
        return eval(engine.call(*container_engine.run_options(engine), *words))  # our own program's output

    def test_it_refuses_what_ours_refuses_but_for_one_user_namespace(self, engine, tmp_path):
        assert self.run(engine, tmp_path, True) == {"user namespace"}

    def test_without_it_that_would_work(self, engine, tmp_path):
        assert {"namespace", "mount"} < self.run(engine, tmp_path, False)

    @pytest.mark.parametrize("machine", list(seccomp.ARCHITECTURES))
    def test_every_forbidden_call_is_named_in_it(self, machine):
        document = json.loads(profile(machine))
        refused = {name for rule in document["syscalls"] if "args" not in rule for name in rule["names"]}
        assert refused == set(seccomp.FORBIDDEN) | set(seccomp.ABSENT)
        assert all(rule["action"] == "SCMP_ACT_ERRNO" for rule in document["syscalls"])


class TestRefusals:
    def test_a_room_with_an_engines_socket_is_refused(self, provider, tmp_path, monkeypatch):
        tmp_path.chmod(0o755)
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/deep/engine.sock")
        with pytest.raises(InputError, match="socket of a container engine"):
            provider.open(SandboxSpec(rooms=(Room("r", tmp_path),)))

    def test_the_same_room_is_fine_when_the_socket_lies_elsewhere(self, provider, tmp_path):
        tmp_path.chmod(0o755)
        (tmp_path / "here").touch()
        with provider.open(SandboxSpec(rooms=(Room("r", tmp_path),))) as sandbox:
            assert sandbox.run(Exec(("ls", "/data"))).stdout == b"here\n"

    def test_a_place_that_an_engine_would_misread_is_refused(self, provider, room):
        with pytest.raises(InputError, match="cannot mount at this path"):
            provider.open(SandboxSpec(rooms=(Room("r", room, "/data:/etc"),)))

    def test_an_image_that_is_not_there_is_named(self, engine):
        with pytest.raises(EnvironmentFault, match="podman has no image nowhere/none"):
            ContainerProvider("podman", "nowhere/none").open(SandboxSpec())

    def test_an_image_without_python_says_what_it_needs(self, engine):
        with pytest.raises(EnvironmentFault, match=r"an image with python3, 3\.11 or newer"):
            ContainerProvider("podman", image.ensure(engine)).open(SandboxSpec())

    def test_an_engine_that_is_not_installed_or_does_not_answer_is_said_so(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(EnvironmentFault, match="docker is not installed"):
            ContainerProvider("docker").open(SandboxSpec())
        (tmp_path / "docker").write_text("#!/bin/sh\necho no daemon >&2\nexit 1\n")
        (tmp_path / "docker").chmod(0o755)
        with pytest.raises(EnvironmentFault, match=r"docker does not answer\n  found: no daemon"):
            ContainerProvider("docker").open(SandboxSpec())

    def test_no_free_host_user_is_said_so(self, provider, monkeypatch):
        monkeypatch.setenv("BENCHWRIGHT_UID_RANGE", "300010-300010")
        with provider.open(SandboxSpec()), pytest.raises(EnvironmentFault, match="no host user is free"):
            provider.open(SandboxSpec())


class TestChoice:
    def test_auto_takes_namespaces_where_they_start(self):
        with closing(chosen("auto")) as provider:
            assert provider.name == "namespace"

    def test_auto_takes_the_next_kind_where_the_first_does_not_start(self, engine, tmp_path, monkeypatch):
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
        makers = {name: MAKERS[name] for name in ("docker", "podman")}
        with closing(chosen("auto", makers)) as provider:
            assert provider.name == "podman"

    def test_where_none_starts_every_reason_is_told(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(EnvironmentFault, match=r"cannot isolate attempts\n.*docker is not .*podman is not"):
            chosen("auto", {name: MAKERS[name] for name in ("docker", "podman")})

    def test_a_users_own_image_is_named_by_a_variable(self, engine, monkeypatch):
        monkeypatch.setenv("BENCHWRIGHT_IMAGE", "nowhere/none")
        with closing(chosen("podman")) as provider, pytest.raises(EnvironmentFault, match="nowhere/none"):
            provider.open(SandboxSpec())


RUNNER = """
import sys, time
from pathlib import Path
from benchwright.sandbox.base import *
from benchwright.sandbox.container import ContainerProvider
print("begins", flush=True)
provider = ContainerProvider("podman")
room = Room("r", Path(sys.argv[1]))
sandboxes = [provider.open(SandboxSpec(rooms=(room,))) for _ in range(2)]
print(*(sandbox.pid for sandbox in sandboxes), flush=True)
sandboxes[0].run(Exec(("bash", "-c", "setsid sleep 600 & sleep 600")))
"""


@pytest.fixture
def runner(room):
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, room], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout.readline() == "begins\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


class TestEnd:
    def test_closing_leaves_no_process_record_mount_or_descriptor(self, engine, provider, room):
        provider.open(SandboxSpec()).close()
        descriptors, before, known = len(os.listdir("/proc/self/fd")), mounts(), records(engine)
        sandbox = provider.open(SandboxSpec(rooms=(Room("sales", room),)))
        assert len(records(engine)) == len(known) + 1
        sandbox.run(Shell("sleep 600 &"))
        sandbox.close()
        assert not alive(sandbox.pid)
        assert records(engine) == known
        assert mounts() == before
        eventually(lambda: len(os.listdir("/proc/self/fd")) <= descriptors)  # others' garbage may be closed meanwhile

    def test_kill_9_of_the_runner_leaves_nothing(self, engine, runner):
        before = mounts(f".{runner.pid}.")
        pids = [int(word) for word in runner.stdout.readline().split()]
        eventually(lambda: psutil.Process(pids[0]).children(recursive=True))
        inside = [child.pid for pid in pids for child in psutil.Process(pid).children(recursive=True)]
        assert len(records(engine, f".{runner.pid}.")) == 2
        runner.kill()
        eventually(lambda: not any(alive(pid) for pid in (*pids, *inside)))
        eventually(lambda: records(engine, f".{runner.pid}.") == [])
        assert mounts(f".{runner.pid}.") == before

    @pytest.mark.parametrize("seconds", [0.3, 0.6, 0.9, 1.2, 1.5, 2.0])
    def test_kill_9_while_a_container_starts_leaves_nothing(self, engine, runner, seconds):
        time.sleep(seconds)
        launchers = [child.pid for child in psutil.Process(runner.pid).children(recursive=True)]
        runner.kill()
        runner.wait()
        eventually(lambda: not any(alive(pid) for pid in launchers))
        eventually(lambda: records(engine, f".{runner.pid}.") == [])

    def test_when_the_engines_guardian_is_killed_its_container_ends_and_the_provider_removes_the_record(self, engine):
        known = records(engine)
        with ContainerProvider("podman") as provider:
            sandbox = provider.open(SandboxSpec())
            sandbox.run(Shell("true"))
            os.kill(psutil.Process(sandbox.pid).ppid(), signal.SIGKILL)
            eventually(lambda: not alive(sandbox.pid))
            with pytest.raises(Broken, match="does not answer"):
                sandbox.run(Exec(("true",)))
            assert len(records(engine)) == len(known) + 1
        assert records(engine) == known


STALE = f"{OURS}1-"


def stale_name():
    """The name of a container of a runner that is gone: as this process, but started at another time."""
    parts = owner.identity().split(".")
    return f"benchwright-{'.'.join([*parts[:3], '1'])}-{os.urandom(4).hex()}"


def cleared(leave):
    """What is removed after `leave` has left something and named it; all runs remove leftovers, and one beside this
    test may be faster, which is as right: then it is left again.
    """
    for _ in range(20):
        line = leave()
        removed = list(leftovers.remove())
        if line in removed:
            return removed
    raise AssertionError(f"never told: {line}")


class TestLeftovers:
    def test_records_of_dead_runners_are_removed_and_those_of_the_living_stay(self, engine):
        living = container_engine.fresh_name()

        def create(name):
            engine.call("create", "--name", name, "--label", "benchwright", image.name(), "true")
            return f"podman container {name}"

        create(living)
        try:
            removed = cleared(lambda: create(stale_name()))
            assert not any(living in line for line in removed)
            assert records(engine, living) == [living]
            assert records(engine, STALE) == []
        finally:
            engine.call("rm", "--force", living)

    def test_a_container_of_somebody_else_is_never_touched(self, engine):
        name = stale_name()
        engine.call("create", "--name", name, image.name(), "true")
        try:
            assert not any(name in line for line in leftovers.remove())
        finally:
            engine.call("rm", "--force", name)

    def test_a_stage_that_a_killed_launcher_left_is_unmounted_and_removed(self, engine):
        def mounted():
            folder = STAGES / stale_name()
            folder.mkdir(parents=True)
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
            return f"folder {folder}"

        here = Path.cwd()
        cleared(mounted)
        assert Path.cwd() == here  # the runner's relative paths still mean what they meant
        assert not [folder for folder in STAGES.iterdir() if STALE in folder.name]

    def test_images_of_earlier_versions_are_removed(self, engine):
        def imported():
            engine.call("import", "-", "localhost/benchwright:earlier", given=image.archive())
            return "podman image localhost/benchwright:earlier"

        cleared(imported)
        assert not engine.succeeds("image", "inspect", "localhost/benchwright:earlier")
        assert engine.succeeds("image", "inspect", image.ensure(engine))

    def test_control_groups_of_dead_supervisors_are_removed(self):
        folder = next(Path("/sys/fs/cgroup").glob("pids"), None)
        if folder is None:
            pytest.skip("no version 1 group of processes here")
        group = folder / f"{stale_name().rpartition('-')[0]}-1"

        def made():
            group.mkdir()
            return f"control group {group}"

        cleared(made)
        assert not group.exists()


class TestDaemon:
    """The way of an engine that starts containers in the host's mount namespace: docker's."""

    def test_the_stage_is_gone_as_soon_as_the_container_runs(self, docker_on_podman, room):
        before = mounts()
        with docker_on_podman(), ContainerProvider("docker") as provider:
            with provider.open(SandboxSpec(rooms=(Room("sales", room),))) as sandbox:
                assert not [point for point in mounts() if point.startswith(str(STAGES))]
                assert not [path for path in STAGES.iterdir() if f".{os.getpid()}." in path.name]
                assert sandbox.run(Shell("cat /data/a.csv")).stdout == b"a\n1\n"
                assert [file.path for file in sandbox.accessed().files] == ["a.csv"]
                pid = sandbox.pid
            assert not alive(pid)
        assert mounts() == before


@pytest.fixture(scope="module")
def own_image(engine, tmp_path_factory):
    """An image with a Python and a shell of its own, made of parts of this machine."""
    archive = tmp_path_factory.mktemp("image") / "root.tar"
    programs = ["/usr/bin/python3", "/usr/bin/bash", "/usr/bin/cat", "/usr/bin/sleep"]
    linked = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout.split()
    libraries = sorted({word for word in linked if word.startswith("/") and not word.endswith(":")})
    home = subprocess.run(
        ["/usr/bin/python3", "-I", "-c", "import os; print(os.path.dirname(os.__file__))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    with tarfile.open(archive, "w", dereference=True) as tar:
        for path in (*programs, *libraries):
            tar.add(path, path.lstrip("/"))
        tar.add(home, home.lstrip("/"), filter=lambda entry: None if "/test" in entry.name else entry)
        for library in ("/lib", "/usr/lib"):
            for found in Path(f"{library}/x86_64-linux-gnu").glob("libffi.so*"):
                tar.add(found, str(found).lstrip("/"))
        marker = tmp_path_factory.mktemp("etc") / "own"
        marker.write_text("own image\n")
        tar.add(marker, "etc/own")
    engine.call("import", str(archive), "localhost/benchwright-test-own:1")
    yield "localhost/benchwright-test-own:1"
    engine.call("image", "rm", "--force", "localhost/benchwright-test-own:1")


class TestOwnImage:
    def test_attempts_get_its_usr_and_etc_and_our_rooms(self, own_image, room):
        with (
            ContainerProvider("podman", own_image) as provider,
            provider.open(SandboxSpec(rooms=(Room("sales", room),))) as sandbox,
        ):
            outcome = sandbox.run(Shell("cat /etc/own /data/a.csv"))
            assert outcome.stdout == b"own image\na\n1\n"
            assert sandbox.run(Exec(("ls", "/"))).exit_code == 127
            assert [file.path for file in sandbox.accessed().files] == ["a.csv"]
            assert Path(f"/proc/{sandbox.pid}/uid_map").read_text().split()[1] == str(sandbox.uid)

    def test_without_ipython_its_persistent_python_says_what_is_missing(self, own_image):
        with ContainerProvider("podman", own_image) as provider, provider.open(SandboxSpec()) as sandbox:
            outcome = sandbox.run(Python("1 + 1"))
            assert outcome.exit_code != 0
            assert b"IPython" in outcome.stderr


def test_where_fanotify_is_missing_access_is_not_measured_and_says_why(engine, tmp_path):
    if shutil.which("setpriv") is None:
        pytest.skip("no setpriv to give up a capability with")
    code = (
        "from benchwright.sandbox.container import choose\n"
        "found = choose('auto').accesses()\nprint(found.kind, '|', found.reason)"
    )
    command = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "only fanotify sees what is read" in done.stdout, done.stderr


@pytest.fixture
def home_of_another():
    """A home that an ordinary user without subordinate ids can reach."""
    with tempfile.TemporaryDirectory(prefix="benchwright-home-") as name:
        os.chown(name, 54_321, 54_321)
        yield name


def test_a_user_whom_the_machine_gave_no_further_users_is_told_so_at_once(engine, home_of_another, monkeypatch):
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home_of_another)
    monkeypatch.chdir("/")
    answer, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(54_321, 54_321, 54_321)
            os.setresuid(54_321, 54_321, 54_321)
            container_engine.find("podman")
        except EnvironmentFault as error:
            os.write(told, str(error).encode())
        finally:
            os._exit(0)
    os.close(told)
    with open(answer, encoding="utf-8") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    assert "podman has too few users" in said
    assert "no subordinate uids and gids" in said
    assert "hint: an administrator" in said
