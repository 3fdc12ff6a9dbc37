"""Tasks over two tables: what one lacks, and what both measure."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, load, one, plainly
from benchwright.generation.templates.drafting import Move, Sketch, answer, rounded
from benchwright.generation.templates.pairs import NAMES, Pair, own_of_single, pairs_of, thing_of


def missing_partner(pair: Pair, rng: Random) -> Sketch | None:
    """What one table holds of names that the other does not know."""
    totals, thing = pair.many.totals, thing_of(pair.many, pair.key)
    if not pair.unmatched or not totals or thing is None or pair.key.column.nulls:
        return None
    total = one(rng, totals)
    moves = (
        load(pair.many, "many"),
        load(pair.single, "single"),
        Move(
            ("String and Categorical Data Handling", "Entity Mapping and Matching"),
            "Bring names on both sides into one form.",
            f"mine, theirs = {plainly('many', pair.key)}, set({plainly('single', pair.name)})",
            f"mine, theirs = many[{pair.key.q}], set(single[{pair.name.q}])",
        ),
        Move(
            (
                "Set and Membership Analysis",
                "Index-based Alignment and Set Operations",
                "SQL Set Operations and Query Combination",
            ),
            "Keep the rows whose name the other table lacks.",
            "alone = many[~mine.isin(theirs)]",
        ),
        Move(
            ("Unique Value Extraction",),
            "Count the different names.",
            "names = mine[alone.index].nunique()",
            "names = len(alone)",
        ),
        Move(
            ("Percentage and Variation Calculations", "Summation Techniques"),
            "Tell their share of the total.",
            f"share = 100 * alone[{total.q}].sum() / many[{total.q}].sum()\nprint(f'{{names}}; {{share:.3f}}')",
            "share = 100 * len(alone) / len(many)\nprint(f'{names}; {share:.3f}')",
        ),
    )
    question = (
        f"Some {thing} in {pair.many.has_rows} are missing from the data on {pair.single.about} "
        f"({pair.single.rows:,} rows). How many different {thing} are that, and what percentage of the total of "
        f"{total.shown} over all rows of the former is theirs?{NAMES}"
    )
    form = f"Answer as: number of different {thing}; percentage. The percentage{rounded(3)} (0 to 100)."
    return Sketch((pair.many, pair.single), question, moves, answer(form, 3))


def correlated_partner(pair: Pair, rng: Random) -> Sketch | None:
    """Measures of two tables about the same names, correlated."""
    left = [field for field in pair.many.measures if field.name != pair.key.name]
    right = own_of_single(pair, pair.single.measures)
    if not pair.one_to_one or not left or not right:
        return None
    mine, theirs = one(rng, left), one(rng, right)
    moves = (
        load(pair.many, "many"),
        load(pair.single, "single"),
        Move(
            ("Data Alignment & Merging", "Index Alignment and Manipulation"),
            "Put the two measures of the same name side by side.",
            f"x = many.set_index({plainly('many', pair.key)})[{mine.q}]\ny = "
            f"single.set_index({plainly('single', pair.name)})[{theirs.q}]\n"
            "both = pd.concat([x, y], axis=1, keys=['x', 'y'], join='inner').dropna()",
            f"both = pd.DataFrame({{'x': many[{mine.q}], 'y': single[{theirs.q}]}}).dropna()",
        ),
        Move(
            ("Correlation and Relationship Analysis", "Statistical Correlation Analysis"),
            "Correlate their ranks.",
            "rho = both['x'].corr(both['y'], method='spearman')\n"
            "assert abs(rho) < 0.995, 'one measure is nearly a copy of the other'",
            "rho = both['x'].corr(both['y'])",
        ),
        Move(
            ("Validation and Verification of Merge Results",),
            "Tell how many names both tables know.",
            "print(f'{rho:.4f}; {len(both)}')",
            "print(f'{rho:.4f}; {len(many)}')",
        ),
    )
    question = (
        f"Over everything that {pair.many.has_rows} and the data on {pair.single.about} ({pair.single.rows:,} "
        f"rows) both describe, what is the Spearman rank correlation of {mine.shown} (from the former) with "
        f"{theirs.shown} (from the latter), and on how many "
        f"pairs of known values does it rest?{NAMES}"
    )
    form = f"Answer as: correlation; number of pairs. The correlation{rounded(4)}."
    return Sketch((pair.many, pair.single), question, moves, answer(form, 4))


TEMPLATES = (
    Template("missing_partner", missing_partner, pairs_of),
    Template("correlated_partner", correlated_partner, pairs_of),
)
