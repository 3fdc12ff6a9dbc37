"""What other schedulers start the shards by: a script for Slurm's job arrays, a manifest for Kubernetes."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from benchwright import __version__

IMAGE = f"benchwright:{__version__}"
"""The image of the manifest, unless another is named: one in which this version is installed."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs of a plan: the suite's name, how many, how many at once, and the folder or URL of the shards' files."""

    name: str
    count: int
    at_once: int
    folder: str

    def command(self, number: str) -> str:
        """What a job runs, in the shell's words; `number` is the shard's, from 1."""
        files = shlex.quote(f"{self.folder}/shard-")
        return f"""exec benchwright run {files}"$(printf '%0{max(3, len(str(self.count)))}d' {number})".json"""


def slurm(jobs: Jobs) -> str:
    """A job array, one job a shard; requeued, a shard goes on where it stopped."""
    return f"""#!/bin/sh
#SBATCH --job-name=benchwright-{jobs.name}
#SBATCH --array=1-{jobs.count}%{jobs.at_once}
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
# Partition, time, memory and processors: sbatch's own options, e.g. sbatch --cpus-per-task=8 --time=8:00:00 slurm.sh
{jobs.command('"$SLURM_ARRAY_TASK_ID"')}
"""


def kubernetes(jobs: Jobs, image: str = IMAGE) -> str:
    """A Job with one index a shard, as JSON, which `kubectl apply -f` takes; a failed index is started again.

    Keys come from the secret `benchwright-keys`, where there is one. A folder that is no URL is on the volume claim
    `benchwright`.
    """
    container: dict[str, Any] = {
        "name": "shard",
        "image": image,
        "command": ["/bin/sh", "-c", jobs.command("$((JOB_COMPLETION_INDEX + 1))")],
        "envFrom": [{"secretRef": {"name": "benchwright-keys", "optional": True}}],
        "securityContext": {"privileged": True},  # sandboxes are namespaces and mounts of their own
    }
    pod: dict[str, Any] = {"restartPolicy": "Never", "containers": [container]}
    if "://" not in jobs.folder:
        container["volumeMounts"] = [{"name": "run", "mountPath": jobs.folder}]
        pod["volumes"] = [{"name": "run", "persistentVolumeClaim": {"claimName": "benchwright"}}]
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"benchwright-{jobs.name.replace('_', '-')[:40]}".rstrip("-")},
        "spec": {
            "completionMode": "Indexed",
            "completions": jobs.count,
            "parallelism": jobs.at_once,
            "backoffLimitPerIndex": 3,
            "maxFailedIndexes": jobs.count,
            "template": {"spec": pod},
        },
    }
    return json.dumps(job, indent=2) + "\n"
