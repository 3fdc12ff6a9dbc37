"""What every sandbox provider must do; a new provider is a new row."""

import os
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from benchwright.errors import Broken, EnvironmentFault
from benchwright.sandbox.base import Exec, OutputsTooLarge, Python, Room, SandboxSpec, Shell
from benchwright.sandbox.container import ContainerProvider
from benchwright.sandbox.container_engine import usable
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.task import Limits
from benchwright.trajectory import NotMeasured

ORDINARY_USER = 65534
SLEEPERS = Shell("grep -lsx sleep /proc/[0-9]*/comm | wc -l")
"""How many sleep, dead ones whom nobody buried among them; a bare machine has no pgrep."""


@contextmanager
def _as_root(_request):
    if os.geteuid() != 0:
        pytest.skip("only root can")
    with NamespaceProvider() as provider:
        yield provider


@contextmanager
def _as_ordinary_user(_request):
    with NamespaceProvider(user=ORDINARY_USER if os.geteuid() == 0 else None) as provider:
        yield provider


def _in_container(engine):
    @contextmanager
    def row(_request):
        try:
            usable(engine)
        except EnvironmentFault as error:
            pytest.skip(f"no {engine} to try: {error.found or error.what}")
        with ContainerProvider(engine) as provider:
            yield provider

    return row


@contextmanager
def _by_dockers_client(request):
    with request.getfixturevalue("docker_on_podman")(), _in_container("docker")(request) as provider:
        yield provider


PROVIDERS = {
    "namespace as root": _as_root,
    "namespace as an ordinary user": _as_ordinary_user,
    "podman": _in_container("podman"),
    "docker": _in_container("docker"),
    "docker's client before podman": _by_dockers_client,
}


@pytest.fixture(scope="module", params=list(PROVIDERS))
def provider(request):
    with PROVIDERS[request.param](request) as provider:
        provider.row = request.param
        yield provider


@pytest.fixture(scope="module")
def room(provider):
    """A folder that other users can reach, as pytest's own cannot be."""
    with tempfile.TemporaryDirectory(prefix="benchwright-room-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        _fill(folder)
        if "user" in provider.row and os.geteuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, ORDINARY_USER, ORDINARY_USER)
        yield folder


def _fill(folder):
    (folder / "sales.csv").write_text("region,total\nnorth,7\n")
    (folder / "nested").mkdir()
    (folder / "nested" / "notes.txt").write_text("a note\n")


def spec(room, **limits):
    return SandboxSpec(rooms=(Room("sales", room),), limits=Limits(**limits))


@pytest.fixture
def sandbox(provider, room):
    with provider.open(spec(room)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def notebook(provider, room, small_toolbox):
    with provider.open(SandboxSpec(rooms=(Room("sales", room),), toolbox=small_toolbox)) as sandbox:
        yield sandbox


class TestDoors:
    def test_a_program_inside_reaches_whoever_holds_the_door_and_is_answered(self, sandbox):
        with sandbox.listen() as door:
            port = door.getsockname()[1]
            caller = threading.Thread(target=_answer, args=(door,), daemon=True)
            caller.start()
            call = f"exec 3<>/dev/tcp/127.0.0.1/{port}; echo ask >&3; head -1 <&3"
            outcome = sandbox.run(Exec(("bash", "-c", call), seconds=20))
            caller.join()
        assert outcome.stdout == b"you said ask\n"

    def test_a_door_that_is_closed_is_no_door(self, sandbox):
        with sandbox.listen() as door:
            port = door.getsockname()[1]
        assert sandbox.run(Exec(("bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}"), seconds=20)).exit_code != 0

    def test_no_program_holds_the_door(self, sandbox):
        with sandbox.listen():
            listed = sandbox.run(Exec(("bash", "-c", "ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c socket")))
        assert listed.stdout.strip() == b"0"


def _answer(door):
    caller, _ = door.accept()
    with caller:
        caller.sendall(b"you said " + caller.recv(64))


class TestCommands:
    def test_a_program_gets_its_arguments_as_they_are(self, sandbox):
        outcome = sandbox.run(Exec(("printf", "%s|", "a b", "$HOME", "*")))
        assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, b"a b|$HOME|*|", b"")

    def test_a_program_gets_its_input_folder_and_variables(self, sandbox):
        outcome = sandbox.run(
            Exec(("bash", "-c", "cat; pwd; echo $COLOUR"), input=b"text\n", cwd="/tmp", environment={"COLOUR": "red"})
        )
        assert outcome.stdout == b"text\n/tmp\nred\n"

    def test_without_input_stdin_is_closed(self, sandbox):
        assert sandbox.run(Exec(("cat",), seconds=100)).exit_code == 0

    def test_it_holds_no_descriptor_but_the_three_streams(self, sandbox):
        """Any other would be a way out: to the runner, to the host's files, or to another call."""
        look = "ls /proc/self/fd; ls /proc/$PPID/fd 2>/dev/null"
        streams = {b"0", b"1", b"2", b"3"}  # 3 is the folder that ls itself reads
        assert set(sandbox.run(Exec(("ls", "/proc/self/fd"))).stdout.split()) == streams
        assert set(sandbox.run(Shell("ls /proc/self/fd")).stdout.split()) == streams
        assert set(sandbox.run(Exec(("bash", "-c", look), input=b"x")).stdout.split()) == streams

    def test_a_megabyte_goes_in_and_its_hash_comes_out(self, sandbox):
        outcome = sandbox.run(Exec(("wc", "-c"), input=b"x" * 1_000_000))
        assert outcome.stdout.strip() == b"1000000"

    def test_exit_code_and_both_streams_come_back(self, sandbox):
        outcome = sandbox.run(Exec(("bash", "-c", "echo out; echo err >&2; exit 3")))
        assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (3, b"out\n", b"err\n")

    def test_a_program_that_is_missing_ends_with_127_and_says_so(self, sandbox):
        outcome = sandbox.run(Exec(("no-such-program",)))
        assert outcome.exit_code == 127
        assert b"no-such-program" in outcome.stderr

    def test_a_program_killed_by_a_signal_ends_as_a_shell_would_say(self, sandbox):
        assert sandbox.run(Exec(("bash", "-c", "kill -TERM $$"))).exit_code == 143

    def test_the_environment_holds_nothing_of_the_runner(self, sandbox, monkeypatch):
        text = sandbox.run(Exec(("env",))).stdout.decode()
        variables = dict(line.split("=", 1) for line in text.splitlines())
        assert variables["HOME"] == "/workspace"
        assert not {name for name in variables if "KEY" in name or "TOKEN" in name or name.startswith("BENCHWRIGHT")}

    @pytest.mark.parametrize(
        "words",
        [
            "prlimit --pid $$ --nofile=512:512 && ulimit -n",
            "sleep 60 & prlimit --pid $! --nofile=512:512 && prlimit --pid $! --noheadings --output SOFT --nofile",
            "ulimit -n 512 && ulimit -n",
            "nice -n 512 true && echo 512",
            "renice -n 5 -p $$ >/dev/null && echo 512",
            "sleep 60 & renice -n 5 -p $! >/dev/null && echo 512",
            "sleep 60 & renice -n 5 -g $$ >/dev/null && echo 512",
            "ionice -c 3 true && echo 512",
            "chrt --batch 0 true && echo 512",
        ],
    )
    def test_a_program_may_limit_and_slow_itself_and_its_own(self, sandbox, words):
        outcome = sandbox.run(Exec(("bash", "-c", words)))
        assert (outcome.exit_code, outcome.stdout.strip(), outcome.stderr) == (0, b"512", b"")

    def test_commands_may_overlap_and_one_ending_does_not_hurt_the_other(self, sandbox):
        slow = []
        script = "(setsid sleep 0.7; echo late) & wait; echo done"
        worker = threading.Thread(target=lambda: slow.append(sandbox.run(Exec(("bash", "-c", script)))))
        worker.start()
        for _ in range(5):
            assert sandbox.run(Exec(("true",))).exit_code == 0
        worker.join()
        assert slow[0].stdout == b"late\ndone\n"

    def test_an_orphan_of_a_call_that_still_runs_is_spared_when_another_ends(self, sandbox):
        orphan = "touch begun; until [ -e go ]; do sleep 0.02; done; echo late > late.part; mv late.part late"
        script = f"(setsid sh -c '{orphan}' &); until [ -e late ]; do sleep 0.02; done; cat late"
        outcomes = []
        worker = threading.Thread(target=lambda: outcomes.append(sandbox.run(Exec(("bash", "-c", script)))))
        worker.start()
        sandbox.run(Exec(("bash", "-c", "until [ -e begun ]; do sleep 0.02; done")))
        sandbox.run(Exec(("bash", "-c", "setsid sleep 60 & sleep 61 & setsid sleep 62 &")))
        sandbox.run(Exec(("touch", "go")))
        worker.join()
        assert outcomes[0].stdout == b"late\n"
        assert sandbox.run(SLEEPERS).stdout == b"0\n"


class TestShell:
    def test_variables_functions_and_folder_live_on(self, sandbox):
        sandbox.run(Shell("x=5; f() { echo f$1; }; mkdir -p deep; cd deep"))
        assert sandbox.run(Shell("f $x; pwd")).stdout == b"f5\n/workspace/deep\n"

    def test_the_exit_code_is_that_of_the_last_command(self, sandbox):
        assert sandbox.run(Shell("true; false")).exit_code == 1
        assert sandbox.run(Shell("(exit 42)")).exit_code == 42

    def test_a_syntax_error_is_an_observation(self, sandbox):
        outcome = sandbox.run(Shell("if true; then"))
        assert outcome.exit_code != 0
        assert b"syntax error" in outcome.stderr
        assert sandbox.run(Shell("echo alive")).stdout == b"alive\n"

    def test_a_shell_that_ended_is_said_so_and_replaced(self, sandbox):
        outcome = sandbox.run(Shell("x=1; exit 7"))
        assert outcome.exit_code == 7
        assert b"the shell ended" in outcome.stderr
        assert sandbox.run(Shell("echo [$x]")).stdout == b"[]\n"

    def test_heredocs_quotes_and_bytes_that_are_not_utf8_pass(self, sandbox):
        outcome = sandbox.run(Shell("cat <<'END'\n$x \"quoted\" 'single' é\nEND\nprintf '\\xff\\xfe'"))
        assert outcome.stdout == "$x \"quoted\" 'single' é\n".encode() + b"\xff\xfe"

    def test_halves_of_surrogate_pairs_are_no_end_of_it(self, sandbox):
        assert sandbox.run(Shell("echo 'a\ud800b'")).stdout == b"a?b\n"

    def test_background_jobs_end_with_their_call_and_nothing_is_said_of_them(self, sandbox):
        sandbox.run(Shell("sleep 60 & (setsid sleep 61 &) ; nohup sleep 62 >/dev/null 2>&1 &"))
        outcome = sandbox.run(SLEEPERS)
        assert (outcome.stdout, outcome.stderr) == (b"0\n", b"")


class TestPython:
    def test_variables_live_on_and_the_last_expression_is_shown(self, notebook):
        assert notebook.run(Python("a = 3\na + 4")).stdout == b"7\n"
        assert notebook.run(Python("print(a)")).stdout == b"3\n"

    def test_halves_of_surrogate_pairs_are_no_end_of_it(self, notebook):
        assert notebook.run(Python("'a\ud800b'")).stdout == b"'a?b'\n"

    def test_an_error_is_an_observation_with_its_traceback(self, notebook):
        outcome = notebook.run(Python("b = 1\nb / 0"))
        assert outcome.exit_code == 1
        assert b"ZeroDivisionError" in outcome.stderr
        assert notebook.run(Python("b")).stdout == b"1\n"

    def test_shell_lines_and_output_of_programs_are_seen(self, notebook):
        assert notebook.run(Python("!echo $((2+3))")).stdout == b"5\n"
        assert notebook.run(Python("x = !echo one\nx")).stdout == b"['one']\n"
        code = "import subprocess, os; subprocess.run(['echo', 'two']); os.write(1, b'three\\n');"
        assert notebook.run(Python(code)).stdout == b"two\nthree\n"

    def test_at_the_step_limit_it_is_interrupted_and_keeps_its_variables(self, notebook):
        notebook.run(Python("kept = 41"))
        outcome = notebook.run(Python("import time\nwhile True: time.sleep(0.01)", seconds=2))
        assert (outcome.limit, outcome.exit_code) == ("step", 124)
        assert b"variables are kept" in outcome.stderr
        assert notebook.run(Python("kept + 1")).stdout == b"42\n"

    def test_code_that_ignores_the_interrupt_is_killed_and_a_new_one_starts(self, notebook):
        code = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)"
        outcome = notebook.run(Python(code, seconds=0.5))
        assert outcome.limit == "step"
        assert b"the Python process ended" in outcome.stderr
        assert notebook.run(Python("1 + 1")).stdout == b"2\n"

    def test_a_python_that_ended_is_said_so_and_replaced(self, notebook):
        outcome = notebook.run(Python("import os; os._exit(9)"))
        assert outcome.exit_code == 9
        assert b"the Python process ended" in outcome.stderr
        assert notebook.run(Python("1 + 1")).stdout == b"2\n"

    def test_what_a_cell_started_is_gone_and_python_lives(self, notebook):
        code = "import subprocess; p = subprocess.Popen(['setsid', 'sh', '-c', 'sleep 61 & sleep 62']); v = 5"
        notebook.run(Python(code))
        assert notebook.run(SLEEPERS).stdout == b"0\n"
        assert notebook.run(Python("v, p.wait()")).stdout == b"(5, -9)\n"

    def test_programs_that_it_starts_inherit_no_descriptor(self, notebook):
        assert notebook.run(Python("!ls /proc/self/fd")).stdout.split() == [b"0", b"1", b"2", b"3"]
        sockets = "import os; [n for n in os.listdir('/proc/self/fd') if os.path.realpath(f'/proc/self/fd/{n}').find('socket') >= 0]"
        assert notebook.run(Python(sockets)).stdout == b"[]\n"

    def test_stdin_is_closed(self, notebook):
        assert b"EOFError" in notebook.run(Python("input('name? ')", seconds=100)).stderr

    def test_without_a_toolbox_there_is_no_python_and_it_says_so(self, provider, room):
        with provider.open(spec(room)) as sandbox:
            outcome = sandbox.run(Python("1"))
        assert outcome.exit_code == 127
        assert b"no Python toolbox" in outcome.stderr


class TestLimits:
    def test_a_step_limit_ends_the_program_with_all_that_it_started(self, sandbox):
        started = time.monotonic()
        outcome = sandbox.run(Exec(("bash", "-c", "echo before; setsid sleep 61 & sleep 62; true"), seconds=0.5))
        assert time.monotonic() - started < 50
        assert (outcome.limit, outcome.exit_code, outcome.stdout) == ("step", 124, b"before\n")
        assert sandbox.run(SLEEPERS).stdout == b"0\n"
        assert sandbox.limits_hit == ("step",)

    def test_the_shell_is_restarted_after_its_step_limit(self, sandbox):
        outcome = sandbox.run(Shell("trap '' TERM INT HUP QUIT; while :; do :; done", seconds=0.5))
        assert outcome.limit == "step"
        assert sandbox.run(Shell("echo alive")).stdout == b"alive\n"

    def test_the_wall_limit_ends_what_runs_and_all_that_follows(self, provider, room):
        with provider.open(spec(room, wall_seconds=0.5)) as sandbox:
            assert sandbox.run(Exec(("sleep", "60"))).limit == "wall"
            assert sandbox.run(Exec(("sleep", "60"))).limit == "wall"

    def test_long_output_keeps_its_beginning_and_its_end(self, provider, room):
        with provider.open(spec(room, output_kb=1)) as sandbox:
            outcome = sandbox.run(Exec(("bash", "-c", "echo first; seq 100000; echo last")))
        assert outcome.truncated
        assert outcome.stdout.startswith(b"first\n")
        assert outcome.stdout.endswith(b"last\n")
        assert b"bytes left out" in outcome.stdout
        assert len(outcome.stdout) < 1200

    def test_every_limit_says_how_it_is_enforced(self, sandbox):
        ways = {"cgroup", "rlimit", "affinity", "quota", "polled", "timer", "unlimited"}
        assert set(sandbox.isolation.limits) == {"wall", "step", "memory", "processes", "cpus", "disk", "output"}
        assert set(sandbox.isolation.limits.values()) <= ways


class TestFiles:
    def test_the_room_is_there_and_cannot_be_written(self, sandbox, room):
        assert sandbox.read("/data/sales.csv") == b"region,total\nnorth,7\n"
        outcome = sandbox.run(Shell("cat /data/nested/notes.txt; echo x > /data/new; rm -f /data/sales.csv"))
        assert outcome.stdout == b"a note\n"
        assert b"Read-only" in outcome.stderr
        assert sorted(path.name for path in room.iterdir()) == ["nested", "sales.csv"]

    def test_a_writable_room_takes_writes_and_the_host_keeps_its_files(self, provider, room):
        with provider.open(SandboxSpec(rooms=(Room("sales", room, "/mnt/sales", writable=True),))) as sandbox:
            outcome = sandbox.run(
                Shell("cd /mnt/sales && echo x > new && rm sales.csv && echo y >> nested/notes.txt; ls")
            )
            assert (outcome.stdout, outcome.stderr) == (b"nested\nnew\n", b"")
        assert (room / "sales.csv").read_bytes() == b"region,total\nnorth,7\n"
        assert not (room / "new").exists()
        assert (room / "nested" / "notes.txt").read_text() == "a note\n"

    def test_what_is_written_can_be_read_back_and_belongs_to_the_agent(self, sandbox):
        sandbox.write("/workspace/made/up/file.bin", bytes(range(256)))
        assert sandbox.read("made/up/file.bin") == bytes(range(256))
        assert sandbox.run(Shell("stat -c %U made/up/file.bin; echo more >> made/up/file.bin")).stdout == b"agent\n"

    def test_large_files_pass_without_using_the_attempts_memory(self, provider, room):
        with provider.open(spec(room, memory_mb=150, disk_mb=200)) as sandbox:
            sandbox.write("big", bytes(100 << 20))
            assert len(sandbox.read("big")) == 100 << 20
            assert sandbox.run(Exec(("stat", "-c", "%s", "big"))).stdout == b"%d\n" % (100 << 20)
            assert sandbox.limits_hit == ()

    def test_a_full_disk_is_an_error_of_the_write(self, provider, room):
        with provider.open(spec(room, disk_mb=10)) as sandbox, pytest.raises(OSError, match="No space left"):
            sandbox.write("big", bytes(20 << 20))

    @pytest.mark.parametrize("path", ["/etc/passwd", "/usr/bin/new", "/new", "/workspace/../etc/x", "/data/x"])
    def test_writes_go_to_the_workspace_and_tmp_only(self, sandbox, path):
        with pytest.raises(PermissionError, match="outside what may be written"):
            sandbox.write(path, b"x")

    def test_reading_fails_as_it_would_for_the_agent(self, sandbox):
        with pytest.raises(FileNotFoundError, match="/workspace/none"):
            sandbox.read("/workspace/none")
        with pytest.raises(IsADirectoryError, match="/workspace"):
            sandbox.read("/workspace")

    @pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "a/" * 1500 + "f", "a/" * 9000 + "f"])
    def test_a_path_that_no_file_can_have_is_an_error_and_nothing_more(self, sandbox, path):
        for act in (lambda: sandbox.read(path), lambda: sandbox.write(path, b"x")):
            with suppress(OSError):
                act()
            assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"

    def test_a_long_chain_of_links_is_an_error_and_nothing_more(self, sandbox):
        sandbox.run(Shell("for i in $(seq 1500); do ln -s l$((i + 1)) l$i; done"))
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            sandbox.write("l1/f", b"x")
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            sandbox.read("l1")
        assert sandbox.run(Exec(("echo", "alive"))).stdout == b"alive\n"

    def test_collecting_copies_regular_files_and_nothing_else(self, sandbox, tmp_path):
        sandbox.run(
            Shell(
                "echo a > a; mkdir -p d; ln a d/hard; ln -s /etc/passwd link; ln -s /etc dirlink; mkfifo pipe; chmod 0 a d"
            )
        )
        copied = sandbox.collect(tmp_path / "out", 1)
        assert [str(path) for path in copied] == ["a", "d/hard"]
        assert (tmp_path / "out" / "d" / "hard").read_text() == "a\n"
        assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == ["a", "d", "hard"]

    def test_collecting_too_much_copies_nothing(self, sandbox, tmp_path):
        sandbox.run(Shell("mkdir -p d; echo a > d/a; truncate -s 3M z"))
        with pytest.raises(OutputsTooLarge, match="more than may be kept"):
            sandbox.collect(tmp_path / "out", 2)
        assert not list((tmp_path / "out").rglob("*"))

    def test_collecting_a_path_that_the_host_cannot_hold_copies_nothing(self, sandbox, tmp_path):
        folder = "n" * 250
        sandbox.run(Shell(f"echo a > a; for i in $(seq 20); do mkdir {folder}; cd {folder}; done; echo b > b"))
        with pytest.raises(OutputsTooLarge, match="a path of"):
            sandbox.collect(tmp_path / "out", 2)
        assert not list((tmp_path / "out").rglob("*"))

    def test_names_keep_their_bytes(self, sandbox, tmp_path):
        sandbox.run(Shell("touch $'odd\\xff name\\n'"))
        assert [os.fsencode(path) for path in sandbox.collect(tmp_path / "out", 1)] == [b"odd\xff name\n"]


class TestEnd:
    def test_closing_ends_a_running_command_at_once(self, provider, room):
        sandbox = provider.open(spec(room))
        errors = []

        def work():
            try:
                sandbox.run(Exec(("sleep", "60")))
            except Broken as error:
                errors.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(0.2)
        sandbox.close()
        worker.join(50)
        assert not worker.is_alive()
        assert len(errors) == 1

    def test_closing_twice_is_fine_and_a_closed_sandbox_says_so(self, provider, room):
        sandbox = provider.open(spec(room))
        sandbox.close()
        sandbox.close()
        with pytest.raises(Broken, match="the sandbox was closed"):
            sandbox.run(Exec(("true",)))

    def test_without_a_tracer_what_was_read_is_not_known(self, provider, room):
        with provider.open(SandboxSpec(rooms=(Room("sales", room),), tracing="off")) as sandbox:
            sandbox.read("/data/sales.csv")
            assert isinstance(sandbox.accessed(), NotMeasured)
