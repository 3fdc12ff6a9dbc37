"""Tasks over two tables: what one lacks, and what both measure."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, plainly
from benchwright.generation.templates.drafting import Move, Sketch, answer, rounded
from benchwright.generation.templates.pairs import NAMES, Pair, own_of_single, pairs_of


def missing_partner(pair: Pair, rng: Random) -> Sketch | None:
    """What one table holds of names that the other does not know."""
    totals = [f for f in pair.many.measures if f.column.numbers and f.column.numbers.min >= 0]
    if not pair.unmatched or not totals:
        return None
    total = one(rng, totals)
    moves = (
        load(pair.many, "many"),
        load(pair.single, "single"),
        *complete((pair.key,), "many"),
        Move(
            ("String and Categorical Data Handling", "Entity Mapping and Matching"),
            "Bring names on both sides into one form.",
            f"mine, theirs = {plainly('many', pair.key)}, set({plainly('single', pair.name)})",
            f"mine, theirs = many[{pair.key.q}].str.upper(), set(single[{pair.name.q}])",
        ),
        Move(
            (
                "Set and Membership Analysis",
                "Index-based Alignment and Set Operations",
                "SQL Set Operations and Query Combination",
            ),
            "Keep the rows whose name the other table lacks.",
            "alone = many[~mine.isin(theirs)]",
            "alone = many[mine.isin(theirs)]",
        ),
        Move(
            ("Percentage and Variation Calculations", "Summation Techniques"),
            "Count the names, and tell their share of the total.",
            f"names = mine[alone.index].nunique()\nshare = 100 * alone[{total.q}].sum() / many[{total.q}].sum()\n"
            f"print(f'{{names}}; {{share:.3f}}')",
            "names = len(alone)\nshare = 100 * len(alone) / len(many)\nprint(f'{names}; {share:.3f}')",
        ),
    )
    question = (
        f"How many different values of {pair.key.shown} in {pair.many.has_rows} are not listed in the data on "
        f"{pair.single.about} ({pair.single.rows:,} rows), and what percentage of the total of {total.shown} "
        "over all rows of the former is in rows with such a value?"
        f"{NAMES}{gaps((pair.key,))}"
    )
    form = f"Answer as: number of values; percentage. The percentage{rounded(3)} (0 to 100)."
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
            ("Data Alignment & Merging", "Joining and Alignment Logic", "Index Alignment and Manipulation"),
            "Put the two measures of the same name side by side.",
            f"x = many.set_index({plainly('many', pair.key)})[{mine.q}]\ny = "
            f"single.set_index({plainly('single', pair.name)})[{theirs.q}]\n"
            "both = pd.concat([x, y], axis=1, keys=['x', 'y'], join='inner').dropna()",
            f"both = pd.DataFrame({{'x': many[{mine.q}], 'y': single[{theirs.q}]}}).dropna()",
        ),
        Move(
            ("Correlation and Relationship Analysis", "Statistical Correlation Analysis"),
            "Correlate their ranks.",
            "rho = both['x'].corr(both['y'], method='spearman')",
            "rho = both['x'].corr(both['y'])",
        ),
        Move(
            ("Validation and Verification of Merge Results", "Data Inspection and Validation"),
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
