import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers
from typer.testing import CliRunner
from xdist.scheduler import LoadFileScheduling

from benchwright.cli import app
from benchwright.errors import EnvironmentFault
from benchwright.sandbox import toolbox as toolboxes

# A busy machine makes any example slow for once; pytest's own time limit ends what never ends. The examples are the same
# at every run, so that a commit that passed passes again; `--hypothesis-profile searching` looks for new ones.
_SLOW = (hypothesis.HealthCheck.too_slow,)
hypothesis.settings.register_profile("searching", deadline=None, derandomize=False, suppress_health_check=_SLOW)
hypothesis.settings.register_profile(
    "any machine", deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
hypothesis.settings.load_profile("any machine")
if hasattr(providers, "is_local_module_file"):
    # Inputs hold constants of modules that happen to be loaded, so that they would depend on the tests that came before.
    providers.is_local_module_file = lambda _: False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: begun last, one of them would keep a single worker busy at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


class ByPlace(LoadFileScheduling):
    """Each file's tests are one worker's; so are those of files that share a Ray cluster, which takes long to start."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "a Ray cluster" if file.endswith(("/live/cluster/test_items.py", "/live/cluster/test_ray.py")) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return ByPlace(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=int, default=1, help="how often each test marked `chaos` is run")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests marked `chaos` are run for each round; the round's number is the seed of those that draw lots."""
    rounds = metafunc.config.getoption("rounds")
    if metafunc.definition.get_closest_marker("chaos") and (rounds > 1 or "chaos_round" in metafunc.fixturenames):
        metafunc.fixturenames.append("chaos_round") if "chaos_round" not in metafunc.fixturenames else None
        metafunc.parametrize("chaos_round", range(rounds))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by their argument: what is packed anew at each start holds its time, and workers have to agree on names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs the reference data in ../shared, which is not here")
    return folder


@pytest.fixture
def own_home(tmp_path, monkeypatch) -> None:
    """Suites, rooms and toolboxes of this test alone."""
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="session")
def outside_chroot() -> None:
    """For tests that make a chroot or a container of their own."""
    program = "from benchwright.sandbox.holder.rooting import in_chroot; raise SystemExit(in_chroot())"
    if subprocess.run([sys.executable, "-c", program], check=False).returncode:
        pytest.skip("this is a chroot itself; there the other tests of sandboxes show that they start")


DOCKER_WITHOUT_PROFILE = """#!/bin/sh
for word do
  shift
  case $word in seccomp=*) word=seccomp=unconfined;; esac
  set -- "$@" "$word"
done
exec {docker} "$@"
"""
"""Podman takes no profile over Docker's interface; the first process's own filter remains."""


@pytest.fixture(scope="session")
def docker_on_podman(tmp_path_factory):
    """A context in which Docker's client is served by Podman, which speaks its language: the way of a daemon."""

    @contextmanager
    def served():
        client, podman = shutil.which("docker"), shutil.which("podman")
        if client is None or podman is None or os.geteuid() != 0:
            pytest.skip("needs docker's client, podman and root")
        folder = tmp_path_factory.mktemp("docker")
        (folder / "docker").write_text(DOCKER_WITHOUT_PROFILE.format(docker=client))
        (folder / "docker").chmod(0o755)
        socket = folder / "podman.sock"
        service = subprocess.Popen(
            [podman, "system", "service", "--time", "0", f"unix://{socket}"], stderr=subprocess.DEVNULL
        )
        try:
            for _ in range(600):
                if socket.exists() or service.poll() is not None:
                    break
                time.sleep(0.1)
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
                patch.setenv("DOCKER_HOST", f"unix://{socket}")
                yield
        finally:
            service.terminate()
            service.wait()

    return served


@pytest.fixture(scope="session")
def case(shared: Path) -> Callable[[str], dict[str, Any]]:
    """A fault that people reported publicly, by its id."""
    lines = (shared / "cases" / "fault_cases.jsonl").read_text().splitlines()
    return {value["id"]: value for value in map(json.loads, lines)}.__getitem__


@pytest.fixture(scope="session")
def toolbox() -> Path:
    """The pinned data stack; built once a machine."""
    try:
        return toolboxes.ensure("core")
    except EnvironmentFault as error:
        pytest.skip(f"the toolbox cannot be built here: {error}")


_IPYTHON = (
    "IPython traitlets pygments prompt_toolkit wcwidth jedi parso matplotlib_inline stack_data executing asttokens "
    "pure_eval pexpect ptyprocess ipython_pygments_lexers.py typing_extensions.py"
).split()


GIVEN_TOOLBOX = "BENCHWRIGHT_TEST_SMALL_TOOLBOX"
"""Where tests that run as another user find what this user has made."""


@pytest.fixture(scope="session")
def small_toolbox(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A persistent Python without the data stack, in a place that every user can reach."""
    if given := os.environ.get(GIVEN_TOOLBOX):
        yield Path(given)
        return
    toolbox = request.getfixturevalue("toolbox")
    if sys.version_info < (3, 11) or not Path("/usr/bin/python3").exists():
        pytest.skip("needs a Python in /usr")
    with tempfile.TemporaryDirectory(prefix="benchwright-toolbox-") as name:
        root = Path(name)
        root.chmod(0o755)
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", root], check=True)
        source = next((toolbox / "lib").glob("python3*/site-packages"))
        target = next((root / "lib").glob("python3*/site-packages"))
        for package in _IPYTHON:
            copy = shutil.copytree if (source / package).is_dir() else shutil.copy
            copy(source / package, target / package)
        yield root


@pytest.fixture(scope="session")
def asked() -> Callable[..., str]:
    """What a command prints; with a `code`, the message of the error that it ends with."""

    def call(*arguments: object, code: int = 0) -> str:
        done = CliRunner().invoke(app, [*map(str, arguments)])
        if code:
            assert getattr(done.exception, "exit_code", None) == code, done.output
            return str(done.exception)
        assert done.exit_code == 0, done.output + repr(done.exception)
        return done.stdout

    return call


@pytest.fixture(scope="module")
def browser():
    """Debian's chromium, headless. Of a module: between modules nothing of it runs, which other tests' loops need."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("needs chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened_offline(browser):
    """Opens a file without a network; whatever the page complains of, or asks a network for, fails the test."""

    @contextmanager
    def opened(path: Path):
        complaints: list[str] = []
        context = browser.new_context(offline=True)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on(
            "request", lambda sent: None if sent.url.startswith(("file:", "data:")) else complaints.append(sent.url)
        )
        page.goto(path.as_uri())
        yield page
        context.close()
        assert complaints == []

    return opened


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as behind the `&` of a script: what tests interrupt would go on
    signal.signal(signal.SIGINT, signal.default_int_handler)
