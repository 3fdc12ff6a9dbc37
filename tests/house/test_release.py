"""What is released: the files of the package and nothing else, and the same bytes from the same commit."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import benchwright

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).parent / "uv"


def tracked(*folders):
    found = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()}


def built(folder):
    """Wheel and sdist of what is tracked, built in a copy of its own."""
    copy = folder / "copy"
    for name in tracked():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
        target.chmod((ROOT / name).stat().st_mode & 0o755)
    pinned = ["--build-constraints", ROOT / "locks/release.lock", "--require-hashes"]
    done = subprocess.run(
        [UV, "build", "-q", "--no-create-gitignore", *pinned, "--out-dir", folder / "dist", copy],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "UV_SYSTEM_CERTS": "1"},
    )
    if done.returncode != 0 and "Failed to fetch" in done.stderr:
        pytest.skip("needs a package index")
    assert done.returncode == 0, done.stderr
    return sorted((folder / "dist").iterdir())


@pytest.fixture(scope="module")
def clean(files, tmp_path_factory):
    """A clean environment that holds what the lock says and the wheel, as a user gets them."""
    place = tmp_path_factory.mktemp("clean") / "venv"
    python, quiet = place / "bin" / "python", ("-q", "--python")
    steps = (
        [UV, "venv", *quiet, sys.executable, place],
        [UV, "pip", "install", *quiet, python, "--require-hashes", "-r", ROOT / "locks" / "run.lock"],
        [UV, "pip", "install", *quiet, python, "--no-deps", files[0]],
        [UV, "pip", "check", *quiet, python],
    )
    for step in steps:
        done = subprocess.run(
            step, capture_output=True, text=True, check=False, env={**os.environ, "UV_SYSTEM_CERTS": "1"}
        )
        if done.returncode != 0 and "Failed to fetch" in done.stderr:
            pytest.skip("needs a package index")
        assert done.returncode == 0, done.stderr
    return place / "bin"


@pytest.mark.slow
def test_the_wheel_in_a_clean_environment_plays_and_is_typed(clean, toolbox, tmp_path):
    """Nothing of this checkout is in reach of it; the demo is played as a release is, on fewer tasks."""

    def ran(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    place = ran(clean / "python", "-c", "import benchwright; print(benchwright.__file__)").strip()
    assert place.startswith(str(clean.parent))
    assert (Path(place).parent / "py.typed").is_file()
    agents = ("oracle", "constant", "explorer")
    told = json.loads(
        ran(clean / "benchwright", "run", "lake", "--agent", ",".join(agents), "--limit", "2", "--out", "run", "--json")
    )
    assert (told["done"], told["planned"]) == (6, 6)
    assert "oracle" in ran(clean / "benchwright", "score", "lake", "run")


USED = """
from pathlib import Path
from benchwright import Check, DataMount, Gold, Limits, OutputSpec, RequiredFile, RunFolder, Scored, Selection
from benchwright import Solution, Submission, Suite, Task, Unscored

mount, outputs = DataMount(room="main"), (OutputSpec(),)
task = Task(id="a", question="How many?", data=(mount,), outputs=outputs, limits=Limits(wall_seconds=60.0))
needed = (RequiredFile(path="a.csv"),)
gold = Gold(task_id="a", checks=(Check(scorer="answer"),), solution=Solution(code="print(3)"), required_files=needed)

def exactly(submission: Submission) -> Scored | Unscored:
    return Scored(value=1.0) if submission.answer == gold.answer else Unscored(reason="no gold")

def told(suite: Suite, run: Path) -> dict[str, str | None]:
    print(RunFolder.open(run).spec, len(RunFolder.open(run).attempts()))
    return {each.id: suite.golds[each.id].answer for each in suite.select(Selection(limit=2))}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "said"), [(USED, "Success: no issues"), (USED.replace("limit=2", "limit='two'"), "[arg-type]")]
)
def test_a_users_program_is_checked_strictly_against_the_wheel_with_no_plugin(clean, tmp_path, program, said):
    (tmp_path / "used.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--python-executable"]
    done = subprocess.run(
        [*command, clean / "python", "used.py"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert said in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("error:") == ("Success" not in said)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return built(tmp_path_factory.mktemp("first"))


def test_the_wheel_holds_every_file_of_the_package_and_no_other(files):
    with zipfile.ZipFile(files[0]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
        assert b"benchwright = benchwright.cli:main" in wheel.read(entry)
    assert names == {name.removeprefix("src/") for name in tracked("src")}
    assert "benchwright/py.typed" in names


def test_the_sdist_holds_what_is_tracked(files):
    with tarfile.open(files[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert names - {"PKG-INFO"} == tracked()


def test_the_same_commit_gives_the_same_bytes(files, tmp_path):
    again = built(tmp_path)
    assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in again] == [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    ]


AUDITS = {
    "No known vulnerabilities found": (0, 0, "asked: none"),
    "Found 2 known vulnerabilities in 1 package\nName Version ID": (1, 1, "there are some: Found 2"),
    "a 1.0 Dependency not found on PyPI and could not be audited: a (1.0)": (0, 0, "not asked: 1 packages"),
    "Found 1 known vulnerability in 1 package\nb 2 could not be audited": (1, 1, "there are some"),
    "ERROR:pip_audit._cli:Tried connecting to OSV": (1, 0, "not asked: pip-audit ended with code 1: ERROR"),
    "": (2, 0, "not asked"),
}


@pytest.mark.parametrize("output", AUDITS)
def test_an_audit_that_could_not_ask_is_told_from_one_that_found_nothing(tmp_path, output):
    given, code, said = AUDITS[output]
    (tmp_path / "audit").write_text(output + "\n")
    command = [ROOT / "scripts" / "audited", str(given), tmp_path / "audit"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(said)


@pytest.fixture
def signing(tmp_path):
    """A clone whose next release may be tagged, in which nothing is prepared: that ends the script with code 7."""
    clone, version = tmp_path / "clone", tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    named = {
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@b.c",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@b.c",
    }
    (tmp_path / "keys").mkdir(mode=0o700)
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(tmp_path), "GNUPGHOME": str(tmp_path / "keys")}
    variables = {**os.environ, **named, **own}

    def run(*command, code=0):
        done = subprocess.run(command, cwd=clone, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stderr

    subprocess.run(["git", "clone", "-q", "--shared", ROOT, clone], check=True)
    (clone / "scripts" / "release").write_bytes((ROOT / "scripts" / "release").read_bytes())
    (clone / "scripts" / "prepare").write_text("#!/bin/sh\nexit 7\n")
    (clone / "CHANGELOG.md").write_text(f"## {version}\n")
    run("git", "commit", "-q", "--no-gpg-sign", "-am", "released")
    return run


def test_a_release_that_nobody_here_can_sign_stops_before_anything_is_built(signing, tmp_path):
    assert "git cannot sign here; it needs user.signingkey" in signing("scripts/release", "--tag", code=1)
    if shutil.which("ssh-keygen") is None:
        pytest.skip("needs ssh-keygen")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    signing("git", "config", "gpg.format", "ssh")
    signing("git", "config", "user.signingkey", str(tmp_path / "key.pub"))
    assert signing("scripts/release", "--tag", code=7) == ""


def test_a_release_stops_before_anything_is_built_where_it_would_not_be_what_it_says(signing, tmp_path):
    place = tmp_path / "clone"
    (place / "stray").touch()
    assert "not committed" in signing("scripts/release", code=1)
    (place / "stray").unlink()
    assert signing("scripts/release", code=7) == ""
    signing("git", "tag", f"v{benchwright.__version__}")
    assert "is there already" in signing("scripts/release", "--tag", code=1)
    package = place / "src" / "benchwright" / "__init__.py"
    package.write_text(package.read_text().replace(benchwright.__version__, "9.9.9"))
    signing("git", "commit", "-q", "--no-gpg-sign", "-am", "another version")
    assert "the package 9.9.9" in signing("scripts/release", code=1)


def test_what_the_bare_machine_is_tried_with_is_what_the_readme_says():
    told = subprocess.run([ROOT / "scripts" / "try-bare", "--words"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("git clone /opt/benchwright.git benchwright && cd benchwright\nmake demo ")
    assert "\nbenchwright run lake --agent oracle,explorer,know_nothing,random --subset demo " in told
    assert "\nbenchwright suites check examples/suite\n" in told
    assert not re.search(r"KEY|make test|coda_bench", told)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_newcomer_on_a_bare_debian_gets_the_demo(tmp_path):
    """As an ordinary user and as root, from nothing and once more."""
    if not os.environ.get("BENCHWRIGHT_TEST_BARE"):
        pytest.skip("a Debian of its own takes ten minutes: make bare, or BENCHWRIGHT_TEST_BARE=1")
    done = subprocess.run([ROOT / "scripts" / "try-bare"], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("it took") == 4


def test_a_python_that_is_not_here_is_skipped_and_said():
    done = subprocess.run([ROOT / "scripts" / "try-python", "3.99"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "skipped: no Python 3.99 here" in done.stderr
