"""Tasks of principal components."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, some
from benchwright.generation.templates.drafting import Move, Sketch, answer, rounded
from benchwright.generation.templates.regressions import columns_code
from benchwright.generation.templates.tables import Source
from benchwright.generation.templates.wording import listed


def components(source: Source, rng: Random) -> Sketch | None:
    """How much the first principal components hold, and what the first is made of."""
    if len(source.measures) < 3 or source.rows > 20_000:
        return None
    fields = some(rng, source.measures, min(len(source.measures), 5))
    moves = (
        load(source),
        *complete(fields),
        Move(
            (
                "Preprocessing and Scaling",
                "Data Normalization and Standardization",
                "Data Normalization and Preprocessing",
            ),
            "Standardise the columns.",
            f"part = df[{columns_code(fields)}]\nZ = ((part - part.mean()) / part.std(ddof=0)).to_numpy()",
            f"part = df[{columns_code(fields)}]\nZ = (part - part.mean()).to_numpy()",
        ),
        Move(
            (
                "Dimensionality Reduction Techniques",
                "Feature Selection and Dimensionality Reduction",
            ),
            "Decompose into principal components.",
            "_, sizes, axes = np.linalg.svd(Z, full_matrices=False)\nshares = 100 * sizes ** 2 / (sizes ** 2).sum()",
            "_, sizes, axes = np.linalg.svd(Z, full_matrices=False)\nshares = 100 * sizes / sizes.sum()",
        ),
        Move(
            ("Dimensionality Reduction and Feature Engineering",),
            "Name the column that weighs most in the first component.",
            "names = list(part.columns)\nlead = names[int(np.abs(axes[0]).argmax())]\nprint(f'{shares[0]:.3f}; "
            "{shares[:2].sum():.3f}; {lead}')",
            "names = list(part.columns)\nlead = names[int(axes[0].argmax())]\n"
            "print(f'{shares[0]:.3f}; {shares[:2].sum():.3f}; {lead}')",
        ),
    )
    question = (
        f"Run a principal component analysis of {listed([f.shown for f in fields])} in {source.has_rows}, each "
        "standardised to mean 0 and variance 1. What percentage of the variance does the first component "
        "explain, what percentage the first two together, and "
        f"which column has the largest absolute loading on the first?{gaps(fields)}"
    )
    form = f"Answer as: percentage of first; percentage of first two; column. Percentages{rounded(3)} (0 to 100)."
    return Sketch((source,), question, moves, answer(form, 3))


TEMPLATES = (Template("principal_components", components),)
