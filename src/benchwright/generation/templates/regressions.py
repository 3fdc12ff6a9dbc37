"""Tasks of regression, with everything stated that decides."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, shuffled
from benchwright.generation.templates.drafting import Move, Sketch, explained, numbers
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.templates.wording import listed


def columns_code(fields: tuple[Field, ...]) -> str:
    """The names of columns as a list in code."""
    return "[" + ", ".join(field.q for field in fields) + "]"


def adjusted_difference(source: Source, rng: Random) -> Sketch | None:
    """A difference of two groups, adjusted for a measure, with a robust standard error."""
    groups = [field for field in source.groups if field.column.distinct == 2]
    if not groups or len(source.measures) < 2 or source.rows > 20_000:
        return None
    group, (value, by) = one(rng, groups), shuffled(rng, source.measures)[:2]
    low, high = sorted(str(level) for level, _ in group.levels)
    moves = (
        load(source),
        *complete((group, value, by)),
        Move(
            ("Categorical Variable Handling", "Data Preprocessing & Encoding"),
            "Turn the two groups into 0 and 1.",
            f"indicator = (df[{group.q}] == {high!r}).astype(float)",
            f"indicator = (df[{group.q}] == {low!r}).astype(float)",
        ),
        Move(
            ("Regression Modeling and Interpretation", "Model Specification and Construction"),
            "Regress on the indicator and the other measure.",
            f"X = sm.add_constant(np.column_stack([indicator, df[{by.q}]]))\nmodel = "
            f"sm.OLS(df[{value.q}].to_numpy(dtype=float), X)",
            f"X = sm.add_constant(indicator.to_numpy())\nmodel = sm.OLS(df[{value.q}].to_numpy(dtype=float), X)",
        ),
        Move(
            ("Robust Standard Errors and Covariance Estimation",),
            "Estimate with errors that allow for unequal variances.",
            "fit = model.fit(cov_type='HC1')\nprint(f'{fit.params[1]:.4f}; {fit.bse[1]:.4f}; {fit.rsquared:.4f}')",
            "fit = model.fit()\nprint(f'{fit.params[1]:.4f}; {fit.bse[1]:.4f}; {fit.rsquared:.4f}')",
        ),
    )
    question = (
        f'Regress {value.shown} on {by.shown} and an indicator of {group.shown} being "{high}" (against '
        f'"{low}"), with an intercept, by ordinary least squares over {source.has_rows}. Give the coefficient of '
        "the indicator, its "
        f"heteroskedasticity-robust standard error (HC1), and R squared.{gaps((group, value, by))}"
    )
    return Sketch((source,), question, moves, numbers("coefficient", "standard error", "R squared", decimals=4))


def penalised(source: Source, rng: Random) -> Sketch | None:
    """The penalty that predicts held-out folds best."""
    if len(source.complete_measures) < 4 or not 50 <= source.rows <= 8000:
        return None
    chosen = shuffled(rng, source.complete_measures)[:4]
    target, fields = chosen[0], chosen[1:]
    moves = (
        load(source),
        Move(
            ("Data Normalization and Standardization", "Preprocessing and Scaling"),
            "Standardise predictors and centre the target.",
            f"part = df[{columns_code(fields)}].to_numpy(dtype=float)\nZ = (part - part.mean(axis=0)) / "
            "part.std(axis=0)\n"
            f"y = df[{target.q}].to_numpy(dtype=float)\ny = y - y.mean()",
            f"Z = df[{columns_code(fields)}].to_numpy(dtype=float)\ny = df[{target.q}].to_numpy(dtype=float)",
        ),
        Move(
            ("Optimization and Regularization",),
            "Define the ridge solution for a penalty.",
            "def weights(A, b, penalty):\n    return np.linalg.solve(A.T @ A + penalty * np.eye(A.shape[1]), A.T @ b)",
            "def weights(A, b, penalty):\n    return np.linalg.lstsq(A, b, rcond=None)[0]",
        ),
        Move(
            ("Cross-Validation and Optimization", "Model Evaluation & Generalization"),
            "Predict every fold from the others, for each penalty.",
            "fold = np.arange(len(y)) % 5\nerrors = {}\n"
            "for penalty in (0.1, 10.0, 1000.0):\n"
            "    wrong = np.concatenate([y[fold == k] - Z[fold == k] @ weights(Z[fold != k], y[fold != k], "
            "penalty) for k in range(5)])\n"
            "    errors[penalty] = (wrong ** 2).mean() ** 0.5",
            "errors = {}\nfor penalty in (0.1, 10.0, 1000.0):\n    errors[penalty] = ((y - Z @ weights(Z, y, "
            "penalty)) ** 2).mean() ** 0.5",
        ),
        Move(
            ("Model Evaluation & Validation", "Performance Metrics and Optimization"),
            "Compare the largest with the smallest error.",
            "print(f'{errors[10.0]:.4f}; {errors[1000.0] / errors[0.1]:.4f}')",
        ),
    )
    question = (
        f"How well do {listed([f.shown for f in fields])} predict {target.shown} in {source.has_rows}, by ridge "
        "regression "
        "over five folds? Give the root mean square error for the penalty p = 10, and the error for p = 1000 "
        "divided by "
        "that for p = 0.1."
    )
    method = (
        "Standardise the predictors (population standard deviation) and centre the target, both once over all "
        "rows, use "
        "no intercept, and take the weights (Z'Z + p I)^-1 Z'y with p times the identity as it stands. Row k (counted "
        "from 0 in the order of the file) is in fold k mod 5, and each fold is predicted from the other four. "
        "The error "
        "is over all rows together."
    )
    form = numbers("error for p = 10", "ratio", decimals=4)
    return Sketch((source,), question, moves, explained(method, form))


TEMPLATES = (
    Template("adjusted_difference", adjusted_difference),
    Template("ridge_folds", penalised),
)
