"""Uploads a written suite to a repository of the hub, in one commit; the token is held in memory alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import InputError
from benchwright.suites.hub import plain_errors

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_OURS = ["suite.toml", "tasks.jsonl", "labels.jsonl", "index/**", "data/**", "gold/**", "parquet/**"]
"""What an earlier push may have left in the repository, and this one no longer holds: gold above all."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to push. An empty token: the one that huggingface_hub finds ($HF_TOKEN, or of `hf auth login`)."""

    repository: str
    endpoint: str = ""
    public: bool = False
    token: str = field(default="", repr=False)


def push(folder: Path, target: Target, message: str) -> str:
    """Upload the folder; the address of the commit. What an earlier push left and this folder does not hold is deleted.

    Raises InputError where there is no token, where gold would go to a public repository unasked, or where the hub
    knows no such repository; EnvironmentFault where it cannot be reached or refuses.
    """
    hint = "check the network, the name, and that the token may write"
    with plain_errors(f"cannot push to {target.repository}", hint):
        from huggingface_hub import HfApi, get_token

        token = target.token or get_token()
        if not token:
            raise InputError(
                f"no token for {target.repository}", expected="$HF_TOKEN, or `hf auth login`", hint="the export is kept"
            )
        api = HfApi(endpoint=target.endpoint or None, token=token)
        api.create_repo(target.repository, repo_type="dataset", private=not target.public, exist_ok=True)
        if (folder / "gold").exists() and not target.public:
            _refuse_public(api, target.repository)
        commit = api.upload_folder(
            repo_id=target.repository,
            repo_type="dataset",
            folder_path=folder,
            commit_message=message,
            delete_patterns=_OURS,
        )
        return str(commit.commit_url)


def _refuse_public(api: HfApi, repository: str) -> None:
    """A repository that was there before may be public, whatever a new one would be."""
    if not api.repo_info(repository, repo_type="dataset").private:
        raise InputError(f"{repository} is public, and the export holds gold", hint="--public pushes it all the same")
