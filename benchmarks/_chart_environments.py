"""Environments to draw charts in: a release of matplotlib with what fits it, or what the toolbox of sandboxes holds."""

import re
import subprocess
import sys
from pathlib import Path

from benchwright.sandbox import toolboxes

RELEASES = {
    "3.6.3": ["matplotlib==3.6.3", "numpy<2", "pandas<2.3", "seaborn<0.13", "scipy<1.14"],
    "3.8.4": ["matplotlib==3.8.4", "numpy<2", "pandas<2.3", "seaborn<0.14", "scipy<1.14"],
}
TOOLBOX = ("matplotlib", "numpy", "pandas", "seaborn", "scipy", "plotly")


def add_options(parser):
    """Which Python draws: one that is there, or one that is made."""
    parser.add_argument("--python", default=sys.executable, help="what draws")
    parser.add_argument("--matplotlib", choices=[*RELEASES, "toolbox"], help="or an environment that is made for it")
    parser.add_argument("--environments", type=Path, default=Path(".venv-charts"), help="where that is kept")


def python_of(given):
    """The Python that the options ask for; an environment is made once."""
    if given.matplotlib is None:
        return given.python
    root, uv = given.environments.resolve() / given.matplotlib, Path(sys.executable).with_name("uv")
    python = root / "bin" / "python"
    if not (root / "ready").exists():
        packages = RELEASES.get(given.matplotlib) or pinned()
        subprocess.run([uv, "venv", "--quiet", "--clear", "--no-project", "--python", sys.executable, root], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *packages], check=True)
        (root / "ready").touch()
    return python


def pinned():
    """The releases that the toolbox holds."""
    text = Path(toolboxes.__file__).with_name("full.lock").read_text()
    return [re.search(rf"(?m)^{name}==\S+", text)[0] for name in TOOLBOX]
