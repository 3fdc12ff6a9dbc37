"""The published rules written down once more, as plainly as they are stated: what the scorers are held against.

A call gives a score, or the class of the error that it raises. Tables are read by pandas here as there.
"""

import json
import math
import re
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics

NA = "__NA__"
MOST_ROWS = 10_000


def outcome(function, *arguments, **options):
    """What a call gives: a number, or the name of the error."""
    try:
        return float(function(*arguments, **options))
    except Exception as error:  # which one it is, is what is asked
        return type(error).__name__


# --- tables


def csv(output, golds, specified_columns=(), ignore_order=True, thresholds=()):
    """`golds`: one path, for which the options are single values, or several, with lists of options."""
    golds, columns, orders = (
        ([golds], [specified_columns], [ignore_order])
        if isinstance(golds, Path)
        else (golds, specified_columns, ignore_order)
    )
    if not output.exists():
        return 0
    if line_ends(output) < max(1, *map(line_ends, golds)):
        return 0
    cut = not any(orders) and line_ends(output) - 1 > MOST_ROWS
    try:
        frame = pd.read_csv(output, low_memory=False, **({"nrows": MOST_ROWS} if cut else {}))
    except (pd.errors.EmptyDataError, pd.errors.ParserError):
        return 0
    if frame.empty:
        return 0
    return max(csv_by_one(frame, *each, thresholds) for each in zip(golds, columns, orders, strict=True))


def line_ends(path):
    return path.read_bytes().count(b"\n")


def csv_by_one(frame, gold, wanted, free, thresholds):
    try:
        golds = pd.read_csv(gold, low_memory=False, nrows=MOST_ROWS)
    except (pd.errors.EmptyDataError, pd.errors.ParserError):
        return 0
    if golds.empty:
        return 0
    names = list(golds.columns)
    by_place = {}
    for key, value in thresholds:
        place = key if isinstance(key, int) else names.index(key) if key in names else None
        if place is not None:
            by_place[place] = value
    chosen = (golds[list(wanted)] if wanted else golds).transpose().to_numpy().tolist()
    places = [names.index(name) for name in wanted] if wanted else range(len(names))
    found = frame.transpose().to_numpy().tolist()
    if not free:
        found = [column[:MOST_ROWS] for column in found]
    had = {hashed(column, tolerance(by_place, place), free) for place, column in enumerate(found)}
    right = 0
    for place, column in zip(places, chosen, strict=True):
        near = tolerance(by_place, place)
        right += hashed(column, near, free) in had or any(alike(column, other, near, free) for other in found)
    return right / len(chosen)


def tolerance(by_place, place):
    if place not in by_place:
        return ("absolute", 0.01)
    return ("relative", 0.01 if by_place[place] is None else by_place[place])


def normal(cell, near):
    kind, size = near
    if isinstance(cell, str):
        return cell.lower().strip()
    if isinstance(cell, float) and math.isnan(cell):
        return NA
    if not isinstance(cell, (int, float)):
        return cell
    if kind == "absolute":
        return round(cell / size) * size
    if cell == 0:
        return ("rel", 0.0)
    if size <= 0:
        return ("rel", float(cell))
    return ("rel", 1 if cell > 0 else -1, round(math.log(abs(cell)) / math.log1p(size)))


def hashed(column, near, free):
    cells = [normal(cell, near) for cell in column]
    return tuple(sorted(cells, key=lambda cell: (cell == NA, str(cell))) if free else cells)


def alike(gold, found, near, free):
    if free:
        return {normal(cell, near) for cell in gold} <= {normal(cell, near) for cell in found}
    return len(gold) == len(found) and all(paired(*cells, near) for cells in zip(gold, found, strict=True))


def paired(a, b, near):
    kind, size = near
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if math.isnan(a) and math.isnan(b):
            return True
        if kind == "absolute":
            return math.isclose(a, b, abs_tol=size)
        small = abs(a) < 1e-12, abs(b) < 1e-12
        if any(small):
            return all(small)
        return not abs(a - b) / max(abs(a), abs(b)) > size
    if isinstance(a, str) and isinstance(b, str):
        return a.lower().strip() == b.lower().strip()
    return a == b


# --- documents


def json_fields(output, gold, thresholds=None, matched_keys=None):
    found, wanted = loaded(output), loaded(gold)
    if found is None or wanted is None:
        return 0
    scores = walk(found[0], wanted[0], thresholds or {}, matched_keys)
    return sum(scores) / len(scores) if scores else 0.0


def loaded(path):
    try:
        with path.open(encoding="utf-8") as stream:
            return (json.load(stream),)
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def leafcount(rules):
    return sum(leafcount(rule) if isinstance(rule, dict) else 1 for rule in rules.values())


def walk(o, g, rules, keys):
    if isinstance(o, list) != isinstance(g, list):
        return [0.0] * ((len(g) if isinstance(g, list) else 1) * leafcount(rules))
    scores = []
    if isinstance(o, list):
        used = set()
        for item in (item for item in g if isinstance(item, dict)) if keys else ():
            fits = (
                place
                for place, other in enumerate(o)
                if place not in used
                and isinstance(other, dict)
                and all(key in item and key in other and item[key] == other[key] for key in keys)
            )
            place = next(fits, None)
            if place is None:
                scores += [0.0] * leafcount(rules)
                continue
            used.add(place)
            scores += keyed(o[place], item, rules, keys)
        return scores
    return keyed(o, g, rules, keys)


def keyed(o, g, rules, keys):
    scores = []
    both = isinstance(o, dict) and isinstance(g, dict)
    for key, rule in rules.items():
        ours = find(key, o) if isinstance(o, dict) else None
        golds = find(key, g) if isinstance(g, dict) else None
        there = ours is not None and golds is not None
        if isinstance(rule, dict):
            if both:
                scores += walk(o[ours], g[golds], rule, keys) if there else [0.0] * leafcount(rule)
        else:
            scores.append(leaf(o[ours], g[golds], rule) if there else 0.0)
    return scores


def find(wanted, keys):
    keys = list(keys)
    if wanted in keys:
        return wanted
    for key in keys:
        if folded(wanted) in folded(key) or folded(key) in folded(wanted):
            return key
    likeness = [(jaccard(wanted, key), -place) for place, key in enumerate(keys)]
    best = max(likeness, default=(0, 0))
    return keys[-best[1]] if best[0] > 0.6 else None


def folded(key):
    return re.sub(r"[_ -]", "", re.sub(r"\b(the|a|an|of|in|for|to|and|or)\b", "", key.lower()))


def jaccard(one, other):
    ours, theirs = set(one.lower()), set(other.lower())
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0


def is_number(value):
    return isinstance(value, (int, float))


def leaf(o, g, rule):
    if isinstance(rule, list):
        return float(is_number(o) and rule[0] <= o <= rule[1])
    if rule is None and isinstance(g, str):
        return float(str(o).lower().strip() == g.lower().strip())
    if o is None or g is None:
        return float(o is None and g is None)
    if is_number(g):
        near = 0.01 if rule is None else rule
        return float(is_number(o) and abs(o - g) / max(abs(g), 1e-12) <= near)
    if isinstance(g, list):
        if not isinstance(o, list) or len(o) != len(g):
            return 0.0
        scores = greedy(o, g, rule, leaf)
        if rule is None:
            return sum(scores) / len(scores) if scores else 0.0
        return float(all(score == 1.0 for score in scores))
    if isinstance(g, dict) and isinstance(o, dict) and g:
        scores = [leaf(o[find(key, o)], g[key], rule) if find(key, o) is not None else 0.0 for key in g]
        return sum(scores) / len(scores)
    return 0.0


def greedy(o, g, rule, leaf):
    left, scores = list(o), []
    for wanted in g:
        each = [leaf(item, wanted, rule) for item in left]
        place = each.index(max(each))
        scores.append(each[place])
        left.pop(place)
    return scores


def json_normalized(output, thresholds, gold=None):
    """What an output reports of itself, with or without a gold."""
    found, wanted = loaded(output), (None,) if gold is None else loaded(gold)
    scores = graded(found[0], wanted[0], thresholds) if found and wanted else []
    return sum(scores) / len(scores) if scores else 0.0


def graded(o, g, rules):
    scores = []
    for key, rule in rules.items():
        place = find(key, o) if isinstance(o, dict) else None
        golds = find(key, g) if isinstance(g, dict) else None
        wanted = None if golds is None else g[golds]
        if isinstance(rule, dict):
            if isinstance(o, dict):
                scores += (
                    [0.0] * leafcount(rule) if place is None else graded(o[place], wanted if golds else None, rule)
                )
        else:
            scores.append(0.0 if place is None else graded_leaf(o[place], wanted, rule))
    return scores


def graded_leaf(o, g, rule):
    if isinstance(rule, list):
        return on_scale(o, *rule) if is_number(o) else 0.0
    if g is None:
        return 0.0
    if rule is None and isinstance(g, str):
        return float(str(o).lower().strip() == g.lower().strip())
    if isinstance(g, list):
        if not isinstance(o, list) or len(o) != len(g):
            return 0.0
        scores = greedy(o, g, rule, graded_leaf)
        if rule is None:
            return sum(scores) / len(scores) if scores else 0.0
        return float(all(score == 1.0 for score in scores))
    if isinstance(g, dict):
        if rule is None:
            return float(o == g)
        scores = (
            [graded_leaf(o[find(key, o)], g[key], rule) if find(key, o) is not None else 0.0 for key in g]
            if isinstance(o, dict)
            else []
        )
        return sum(scores) / len(scores) if scores else 0.0
    if not is_number(o) or not is_number(g):
        return 0.0
    return float(abs(o - g) / max(abs(g), 1e-12) <= (0.01 if rule is None else rule) + 1e-9)


def on_scale(value, first, second):
    if first == second:
        return float(value == first)
    share = (value - first) / (second - first)
    return 1.0 if share >= 1 else max(0.0, min(1.0, share))


# --- predictions

FALLING = "logloss_class logloss_total rmsle mae mse smape medae crps ks".split()


def model(
    output, gold, matched_columns=None, calculate_columns=None, metric="accuracy", lower_bound=0.0, upper_bound=1.0
):
    try:
        o, g = pd.read_csv(output), pd.read_csv(gold)
    except Exception:  # whatever it is
        return 0
    aligned = align(o, g, matched_columns)
    if aligned is None:
        return 0
    o, g, share = aligned
    if calculate_columns and all(isinstance(column, int) for column in calculate_columns):
        if max(calculate_columns) >= min(o.shape[1], g.shape[1]):
            return 0
        o, g = o.iloc[:, calculate_columns], g.iloc[:, calculate_columns]
    elif calculate_columns:
        if any(column not in o for column in calculate_columns):
            return 0
        o, g = o[calculate_columns], g[calculate_columns]
    value = measured(o, g, metric.lower().strip().replace(" ", "_"))
    if value is None:
        return 0
    if metric in FALLING and lower_bound < upper_bound:
        lower_bound, upper_bound = upper_bound, lower_bound
    if lower_bound == upper_bound:
        return share * (value == lower_bound)
    return share * max(0.0, min(1.0, (value - lower_bound) / (upper_bound - lower_bound)))


def align(o, g, matched_columns):
    """Rows side by side, and the share of the gold's that have a partner."""
    share = 1.0
    if matched_columns is None:
        if len(o) != len(g):
            return None
    elif all(isinstance(column, int) for column in matched_columns):
        if max(matched_columns) >= min(o.shape[1], g.shape[1]) or len(o) != len(g):
            return None
        rows = [
            place
            for place in range(len(g))
            if all(o.iloc[place, column] == g.iloc[place, column] for column in matched_columns)
        ]
        if not rows:
            return None
        o, g = o.iloc[rows], g.iloc[rows]
    else:
        if any(column not in o or column not in g for column in matched_columns):
            return None
        merged = o.merge(g, on=matched_columns, suffixes=("_result", "_gold"))
        if merged.empty:
            return None
        share = min(1.0, len(merged) / len(g))
        o, g = (side(merged, matched_columns, suffix) for suffix in ("_result", "_gold"))
    return o, g, share


def side(merged, keys, suffix):
    kept = merged[[name for name in merged if name in keys or name.endswith(suffix)]]
    return kept.rename(columns=lambda name: name.replace(suffix, "") if name.endswith(suffix) else name)


def measured(o, g, metric):
    """None where the metric does not exist or raises; 0.0 where it caught its own failure."""
    several = o.shape[1] > 1
    if metric == "roc_auc_score" and several:
        return 0.0
    if metric not in {"accuracy", "r2", "mae", "mse", "medae", "rmse", "rmsle", "ks", "smape", "crps"}:
        return None
    if metric == "accuracy":
        flat = [frame.to_numpy().flatten() if several else frame.iloc[:, 0] for frame in (o, g)]
        try:
            ours, golds = labelled(*flat)
        except Exception:  # as stated: an error, and so 0
            return None
        try:
            return metrics.accuracy_score(golds, ours)
        except Exception:
            return 0.0
    if several:
        return 0.0
    a, b = o.iloc[:, 0].to_numpy(), g.iloc[:, 0].to_numpy()
    try:
        return {
            "r2": lambda: metrics.r2_score(b, a) if np.issubdtype(a.dtype, np.number) else 0.0,
            "mae": lambda: metrics.mean_absolute_error(b, a),
            "mse": lambda: metrics.mean_squared_error(b, a),
            "medae": lambda: metrics.median_absolute_error(b, a),
            "rmse": lambda: metrics.mean_squared_error(b, a) ** 0.5,
            "rmsle": lambda: metrics.mean_squared_log_error(b, np.clip(a, 0, None)),
            "ks": lambda: stats.ks_2samp(a, b).statistic,
            "smape": lambda: 100 * np.mean([apart(*pair) for pair in zip(a, b, strict=True)]),
            "crps": lambda: sum(step(wanted, a) for wanted in b),
        }[metric]()
    except Exception:  # a metric's own failure is 0.0
        return 0.0


def apart(a, b):
    """The distance of two numbers as a share of their middle size; none where that is 0 or missing."""
    middle = (np.abs(a) + np.abs(b)) / 2.0
    return 0.0 if middle == 0 or np.isnan(middle) else np.abs(a - b) / middle


def step(wanted, values):
    """The squared distances of a distribution function from a step at one value, at each of its own values."""
    known = [value for value in dict.fromkeys(values.tolist()) if not math.isnan(value)]
    if math.isnan(wanted):
        return 0.0
    shares = {value: sum(other <= value for other in values) / len(values) for value in known}
    shares |= {-math.inf: 0.0, math.inf: 1.0}
    return sum((share if value < wanted else share - 1) ** 2 for value, share in shares.items())


def labelled(o, g):
    def texts(values):
        return None if values.dtype.kind in "fiub" else [str(value).lower().strip() for value in values]

    known = sorted({*(texts(o) or ()), *(texts(g) or ())})
    return [
        [known.index(text) for text in texts(values)] if texts(values) is not None else values.astype(int)
        for values in (o, g)
    ]


# --- charts


def image(output, gold, aspects=("type",)):
    """Pictures under different names, so that only what stands beside them counts."""
    if not gold.exists():
        raise AssertionError
    data = image_data(output.with_suffix(".npy"), gold.with_suffix(".npy"))
    info = image_info(output.with_suffix(".json"), gold.with_suffix(".json"), aspects)
    names = {*data, *info}
    return sum(data.get(name, False) and info.get(name, False) for name in names) / len(names) if names else 0


def image_data(output, gold):
    if not output.exists():
        return {"single": False}
    if not gold.exists():
        raise AssertionError
    found, wanted = (np.load(path, allow_pickle=True).item() for path in (output, gold))
    if isinstance(found, dict) and isinstance(wanted, dict) and any(name.startswith("subplot_") for name in found):
        if len(found) != len(wanted):
            return {}
        return {name: name in wanted and same_data(values, wanted[name]) for name, values in found.items()}
    return {"single": same_data(found, wanted)}


def same_data(found, wanted):
    found, wanted = (side.reshape(-1, 1) if side.ndim == 1 else side for side in (found, wanted))
    if found.shape != wanted.shape:
        return False
    return any(
        np.allclose(np.sort(one, axis=0), np.sort(other, axis=0), rtol=1e-5, atol=0.01, equal_nan=True)
        for one, other in ((found, wanted), (found / found.sum(), wanted / wanted.sum()))
    )


def image_info(output, gold, aspects):
    if not output.exists():
        return {}
    found, wanted = (json.loads(path.read_text()) for path in (output, gold))
    if "total_subplots" not in found and "total_subplots" not in wanted:
        return {"single": same_aspects(found, wanted, aspects)}
    sides = [{name: side[name] for name in side if name.startswith("subplot_")} for side in (found, wanted)]
    if len(sides[0]) != len(sides[1]):
        return {}
    return {name: name in sides[1] and same_aspects(texts, sides[1][name], aspects) for name, texts in sides[0].items()}


def same_aspects(found, wanted, aspects):
    each = [same_aspect(aspect, found, wanted) for aspect in aspects]  # any may raise
    return all(each)


def same_aspect(aspect, found, wanted):
    if aspect == "type":
        return found.get(aspect, "").lower() == wanted.get(aspect, "").lower()
    if aspect in {"graph_title", "x_label", "y_label", "legend_title"}:
        a, b = found.get(aspect, ""), wanted.get(aspect, "")
        return not (not a and b) and ratio(a.lower(), b.lower()) >= 60
    a, b = found.get(aspect, []), wanted.get(aspect, [])
    if aspect == "figsize":
        return a == b
    if aspect == "color":
        colours = [[tuple(int(one[at : at + 2], 16) for at in (1, 3, 5)) for one in side] for side in (a, b)]
        return all(any(math.dist(one, other) <= 15 for other in colours[1]) for one in colours[0])
    a, b = ([one.lower().replace("\u2212", "-") for one in side] for side in (a, b))
    return len(a) == len(b) and all(any(ratio(one, other) > 95 for other in b) for one in a)


def ratio(a, b):
    """Twice the longest common subsequence, of all letters, in percent."""
    if not a and not b:
        return 100
    lengths = [0] * (len(b) + 1)
    for one in a:
        before = lengths[:]
        for place, other in enumerate(b, start=1):
            lengths[place] = before[place - 1] + 1 if one == other else max(before[place], lengths[place - 1])
    return round(100 * (2 * lengths[-1] / (len(a) + len(b))))


# --- texts and databases


def text(output, gold):
    try:
        o, g = (" ".join(path.read_text(encoding="utf-8").lower().split()) for path in (output, gold))
    except (FileNotFoundError, UnicodeDecodeError):
        return 0
    return o == g


def sqlite(output, gold, specified_schema=None):
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for path in (gold, output):
            connection = sqlite3.connect(path)
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
            sides.append((connection, names))
        if not sides[1][1]:
            return 0
        common = sorted({*sides[0][1]} & {*sides[1][1]})
        schema = specified_schema or dict.fromkeys(common)
        if any(name not in common for name in schema):
            return 0
        written = [[], []]
        for (connection, _), place, paths in zip(sides, "go", written, strict=True):
            for name, columns in schema.items():
                chosen = ", ".join(f'"{column}"' for column in columns) if columns else "*"
                try:
                    frame = pd.read_sql_query(f"SELECT {chosen} FROM {name} LIMIT {MOST_ROWS}", connection)
                    frame.to_csv(Path(folder) / f"{place}_{name}.csv", index=False)
                except Exception:  # that table and the rest are left out
                    break
                paths.append(Path(folder) / f"{place}_{name}.csv")
            connection.close()
        golds, founds = written
        if len(golds) != len(founds) or not founds:
            return 0
        scores = [
            csv(found, wanted, columns or (), ignore_order=False)
            for found, wanted, columns in zip(founds, golds, schema.values(), strict=True)
        ]
        return sum(scores) / len(scores)
