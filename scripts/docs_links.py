"""Hooks of mkdocs: pages without a place in the navigation get one; links to files that are no pages become names."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\[([^\]]+)\]\(\.\./([^)#\s]+)\)")


def on_config(config):
    """Every page can be found: those that nobody has given a place stand at the end."""
    placed = set(re.findall(r"[\w./-]+\.md", repr(config["nav"])))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    if left := sorted(pages - placed):
        config["nav"].append({"More": left})
    return config


def on_page_markdown(markdown, page, **_):
    """Raises where a file that is linked to is not there."""

    def named(match):
        if not (ROOT / match[2]).exists():
            raise FileNotFoundError(f"{page.file.src_path} links to {match[2]}, which is not in the repository")
        return match[1] if match[1].startswith("`") else f"{match[1]} (`{match[2]}`)"

    return _LINK.sub(named, markdown)
