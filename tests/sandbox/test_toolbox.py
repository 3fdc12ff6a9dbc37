import os
import shutil

import pytest

from benchwright.errors import EnvironmentFault, InputError
from benchwright.sandbox import toolbox as toolboxes
from benchwright.sandbox.base import Exec, Python, SandboxSpec
from benchwright.sandbox.building import trusting
from benchwright.sandbox.namespace import NamespaceProvider

STACK = (
    "import duckdb, matplotlib.pyplot as plt, numpy, openpyxl, pandas, polars, pyarrow, scipy, seaborn, sklearn, statsmodels.api\n"
    "frame = pandas.DataFrame({'x': range(10), 'y': range(10)})\n"
    "frame.to_parquet('f.parquet'); frame.to_excel('f.xlsx')\n"
    "total = duckdb.sql(\"select sum(x) from 'f.parquet'\").fetchall()[0][0] + polars.read_parquet('f.parquet')['y'].sum()\n"
    "plt.plot(frame.x, frame.y); plt.savefig('f.png')\n"
    "int(total)"
)


def test_the_data_stack_works_inside(toolbox):
    with NamespaceProvider() as provider, provider.open(SandboxSpec(toolbox=toolbox, tracing="off")) as sandbox:
        outcome = sandbox.run(Python(STACK))
        assert outcome.stdout.endswith(b"90\n"), outcome.stderr.decode()
        assert sandbox.read("f.png").startswith(b"\x89PNG")
        assert sandbox.run(Exec(("python", "-c", "import pandas; print(pandas.__name__)"))).stdout == b"pandas\n"
        assert b"Read-only" in sandbox.run(Exec(("touch", str(toolbox / "lib" / "x")))).stderr


PARALLEL = {
    "processes of loky": (
        "import joblib, math\nsum(joblib.Parallel(2, backend='loky')(joblib.delayed(math.sqrt)(n * n) for n in range(10)))",
        b"45.0\n",
    ),
    "processes of multiprocessing": (
        "import multiprocessing, math\nwith multiprocessing.Pool(2) as pool: print(sum(pool.map(abs, range(10))))",
        b"45\n",
    ),
    "threads of polars": (
        "import polars\n(polars.thread_pool_size() >= 1, polars.DataFrame({'a': range(100_000)}).lazy().group_by(polars.col('a') % 7).len().collect().height)",
        b"(True, 7)\n",
    ),
    "threads of duckdb": (
        "import duckdb\nduckdb.sql(\"set threads = 4\")\nduckdb.sql('select count(*) from range(1000000)').fetchall()",
        b"[(1000000,)]\n",
    ),
}


@pytest.mark.parametrize(("code", "shown"), PARALLEL.values(), ids=PARALLEL)
def test_work_in_parallel_goes_on_beside_what_guards_the_first_process(toolbox, code, shown):
    with NamespaceProvider() as provider, provider.open(SandboxSpec(toolbox=toolbox, tracing="off")) as sandbox:
        outcome = sandbox.run(Python(code))
    assert (outcome.exit_code, outcome.stdout, outcome.limit) == (0, shown, ""), outcome.stderr.decode()


@pytest.mark.parametrize("kind", toolboxes.KINDS)
def test_every_requirement_is_pinned_with_hashes(kind):
    text = toolboxes.lock_file(kind).read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert lines
    assert all("==" in line and line.endswith("\\") for line in lines)


def test_another_lock_file_is_another_place(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    assert toolboxes.place("core") != toolboxes.place("full")
    assert toolboxes.place("core").parent == tmp_path / "toolbox"


def test_a_toolbox_that_cannot_be_built_says_why_and_is_never_used(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    for name, value in {"PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1", "UV_OFFLINE": "1", "UV_NO_CACHE": "1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentFault, match="the toolbox could not be built"):
        toolboxes.ensure("core")
    assert toolboxes.find("core") is None


def test_a_half_built_toolbox_is_not_found(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    (toolboxes.place("core") / "bin").mkdir(parents=True)
    assert toolboxes.find("core") is None


def test_a_folder_without_an_interpreter_is_no_toolbox(tmp_path):
    with pytest.raises(InputError, match="no Python environment"):
        toolboxes.shown(tmp_path)


class TestWhereThePythonLies:
    @pytest.fixture
    def environment(self, tmp_path):
        (tmp_path / "env" / "bin").mkdir(parents=True)
        return tmp_path / "env"

    def test_below_usr_only_the_environment_is_needed(self, environment):
        (environment / "bin" / "python").symlink_to("/usr/bin/env")
        assert toolboxes.shown(environment) == toolboxes.Shown((environment,))

    def test_elsewhere_its_own_folders_are_needed_too(self, environment, tmp_path):
        home = tmp_path / "versions" / "3.12"
        (home / "bin").mkdir(parents=True)
        (home / "bin" / "python3.12").touch()
        (environment / "bin" / "python").symlink_to(home / "bin" / "python3.12")
        assert toolboxes.shown(environment).folders == (environment, home / "bin")

    def test_behind_a_linked_folder_both_names_are_needed(self, environment, tmp_path):
        home, alias = tmp_path / "cpython-3.12.4", tmp_path / "cpython-3.12"
        (home / "bin").mkdir(parents=True)
        (home / "bin" / "python3.12").touch()
        alias.symlink_to(home)
        (environment / "bin" / "python3").symlink_to(alias / "bin" / "python3.12")
        (environment / "bin" / "python").symlink_to("python3")
        assert toolboxes.shown(environment).folders == (environment, alias / "bin", home / "bin")

    def test_a_python_behind_a_linked_folder_runs_inside(self, tmp_path, small_toolbox):
        """As uv installs them: the environment names a folder that is a link to the folder of one version."""
        home, alias, environment = (tmp_path / name for name in ("home", "alias", "env"))
        (home / "bin").mkdir(parents=True)
        shutil.copy("/usr/bin/python3", home / "bin" / "python3")
        alias.symlink_to(home)
        shutil.copytree(small_toolbox, environment, symlinks=True)
        for name in os.listdir(environment / "bin"):
            if name.startswith("python"):
                (environment / "bin" / name).unlink()
        (environment / "bin" / "python").symlink_to(alias / "bin" / "python3")
        (environment / "pyvenv.cfg").write_text("home = /usr/bin\n")
        spec = SandboxSpec(toolbox=environment, tracing="off")
        with NamespaceProvider() as provider, provider.open(spec) as sandbox:
            found = sandbox.run(Exec(("python", "-c", "import sys; print(sys.executable)")))
            assert found.stdout.decode().strip() == str(environment / "bin" / "python")
            assert sandbox.run(Python("1 + 1")).stdout == b"2\n"


def test_packages_come_from_where_the_machine_trusts_and_what_is_set_already_stands(tmp_path):
    bundle = tmp_path / "ca-certificates.crt"
    assert trusting({"A": "1"}, bundle) == {"A": "1"}
    bundle.touch()
    assert trusting({"UV_SYSTEM_CERTS": "0"}, bundle) == {"UV_SYSTEM_CERTS": "0", "NODE_EXTRA_CA_CERTS": str(bundle)}
