"""What clustering and merging of skills cost, and what of planted concepts they find.

    python benchmarks/skill_clustering.py [--rows 30000] [--paper-rows 2000] [--only fast,paper,synonyms]
    python benchmarks/skill_clustering.py --published FOLDER

Vectors of 384 dimensions around planted concepts (41 or 42 rows each), as embeddings of steps would be if skills were well
told apart: a test of the machinery, not of a method's worth on real texts. Each measurement runs in a process of its own and
three times, so that memory is its own and equal outcomes are seen. CPU seconds (`cpu`) are those of the work; UMAP compiles itself
in them.

With AgenticDataBench's folder the `fast` method clusters its 433 skills by name and description instead, embedded offline, and
tells which share of them is of its group's most frequent type (and of random groups of the same sizes).
"""

import argparse
import asyncio
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchwright.files import canonical_json


def planted(rows, concepts, dimensions=384, noise=0.9, seed=0):
    """Vectors of length 1 around random directions, and the concept of each."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((concepts, dimensions))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    concept = np.arange(rows) % concepts
    vectors = centres[concept] + noise * draw.standard_normal((rows, dimensions)) / np.sqrt(dimensions)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), concept


def clustered(method, rows):
    """One clustering: adjusted Rand index of its clusters, purity of the groups after the cap."""
    from sklearn.metrics import adjusted_rand_score

    from benchwright.skills.clustering import clustering_named

    vectors, concept = planted(rows, rows * 720 // 30000)
    owners = [f"solution {row // 5}" for row in np.random.default_rng(1).permutation(rows)]
    start = time.process_time()
    found = clustering_named(method, cap=30, seed=0).cluster(vectors, owners)
    cpu = time.process_time() - start
    pure = sum(int(np.bincount(concept[list(group)]).max()) for group in found.groups) / found.memberships
    return {
        "cpu": cpu,
        "clusters": len(set(found.hard)),
        "ari": round(float(adjusted_rand_score(concept, found.hard)), 4),
        "groups": len(found.groups),
        "largest": max(map(len, found.groups)),
        "memberships": found.memberships,
        "purity": round(pure, 4),
        "digest": hashlib.sha256(canonical_json([found.groups, found.hard]).encode()).hexdigest()[:12],
    }


def merged(rows):
    """Synonyms among names of which some are nearly the same as others."""
    from benchwright.skills.rounds.synonyms import synonyms

    vectors, _ = planted(rows, rows * 2 // 3, noise=0.2)
    start = time.process_time()
    found = synonyms(vectors)
    cpu = time.process_time() - start
    digest = hashlib.sha256(canonical_json(found).encode()).hexdigest()[:12]
    return {"cpu": cpu, "sets": len(found), "digest": digest}


def published(folder):
    """How far groups of published skills are of one type, beside random groups of the same sizes."""
    from benchwright.skills.clustering import clustering_named
    from benchwright.skills.embedding import KeptVectors, embedder_named
    from benchwright.skills.published import read_descriptions, read_skills

    skills = read_skills(folder / "step-clusters.jsonl")
    told = read_descriptions(folder / "skill-descriptions.jsonl")
    with tempfile.TemporaryDirectory() as place, KeptVectors(Path(place) / "vectors.sqlite") as kept:
        texts = [f"{skill.name}: {told[skill.name]}" for skill in skills]
        vectors = asyncio.run(kept.of(embedder_named("offline"), texts))
    groups = clustering_named("fast").cluster(vectors, [skill.id for skill in skills]).groups
    types = np.array([skill.type for skill in skills])
    shuffled = np.random.default_rng(0).permutation(types)
    sizes = sorted(map(len, groups))
    print(
        f"{len(groups)} groups of {sizes[0]} to {sizes[-1]} skills; of one type {_one_type(groups, types):.3f}, by chance ",
        end="",
    )
    print(f"{_one_type(groups, shuffled):.3f}")


def _one_type(groups, types):
    return sum(int(np.unique(types[list(group)], return_counts=True)[1].max()) for group in groups) / len(types)


def child(kind, rows):
    found = merged(rows) if kind == "synonyms" else clustered(kind, rows)
    found["all_cpu"] = round(time.process_time(), 1)
    found["cpu"] = round(found["cpu"], 1)
    found["gb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--paper-rows", type=int, default=2_000)
    parser.add_argument("--only", default="fast,synonyms,paper")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--published", type=Path)
    given = parser.parse_args()
    if given.published:
        published(given.published)
        return
    if given.child:
        child(given.child[0], int(given.child[1]))
        return
    for kind in given.only.split(","):
        rows = given.paper_rows if kind == "paper" else given.rows
        for _ in range(given.times):
            start = time.monotonic()
            command = [sys.executable, __file__, "--child", kind, str(rows)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"{kind}, {rows:,} rows, {time.monotonic() - start:.0f} s: {done.stdout.strip()}", flush=True)


if __name__ == "__main__":
    main()
