import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import toolbox as toolboxes


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs the reference data in ../shared, which is not here")
    return folder


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


@pytest.fixture(scope="session")
def small_toolbox(toolbox: Path) -> Iterator[Path]:
    """A persistent Python without the data stack, in a place that every user can reach."""
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
