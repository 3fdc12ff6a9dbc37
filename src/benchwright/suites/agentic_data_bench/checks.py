"""From a published call to a check: the sound scorer's options, with the published ones kept beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from benchwright.gold import Check
from benchwright.suites.agentic_data_bench.calls import PublishedCall, one_each
from benchwright.task import OutputKind

Header = Callable[[str], Sequence[str] | None]
"""The column names of a gold table by its file's name; None where the file is not here."""

SCORERS: Final[Mapping[str, str]] = {
    "compare_csv": "table",
    "compare_json": "document",
    "compare_json_normalized": "document",
    "compare_model": "model_metric",
    "compare_image": "chart",
    "compare_text": "text",
    "compare_sqlite": "database",
}
KINDS: Final[Mapping[str, OutputKind]] = {
    "table": "table",
    "document": "document",
    "model_metric": "predictions",
    "chart": "chart",
    "text": "text",
    "database": "database",
}
"""The kind of output that each scorer judges."""

_TOLERANCE = 0.01
_CELLS: Final[Mapping[str, Any]] = {"absolute": _TOLERANCE, "scaled": True, "credit": "columns"}
_PARTS: Final[Mapping[str, str]] = {
    "type": "kind",
    "graph_title": "title",
    "x_label": "x_label",
    "y_label": "y_label",
    "legend_title": "legend",
    "labels": "labels",
    "xtick_labels": "x_ticks",
    "ytick_labels": "y_ticks",
}
"""Published aspects of a chart and ours; colour and size of a figure are none of what it says."""
_LOWER_IS_BETTER: Final = frozenset(
    "logloss_class logloss_total log_loss rmsle rmse mae mse smape mape medae crps ks brier".split()
)
"""The published list, and the metrics that it leaves out by mistake."""


def check_of(call: PublishedCall, header: Header, question: str | None = None) -> Check:
    """The check that a published call asks for. `options["published"]` is the call as written, in JSON.

    Columns that the `question` does not name may be called otherwise.
    """
    options = _SOUND[call.function](call, header)
    if call.function == "compare_csv" and question is not None and not _all_named(options, call, header, question):
        options["names"] = "free"
    published = {"function": call.function, "arguments": _as_json(call)}
    return Check(
        scorer=SCORERS[call.function],
        output=call.output,
        golds=call.golds,
        options={**options, "published": published},
    )


def _as_json(call: PublishedCall) -> dict[str, Any]:
    """The options in JSON. Thresholds of tables become pairs, for in JSON the keys 1 and "1" would be one."""
    if call.function != "compare_csv" or "thresholds" not in call.options:
        return dict(call.options)
    return {**call.options, "thresholds": [[key, value] for key, value in call.options["thresholds"].items()]}


def _table(call: PublishedCall, header: Header) -> dict[str, Any]:
    columns, free = call.options.get("specified_columns") or [], call.options.get("ignore_order", True)
    order = None if _differs(free) else "any" if _one_for_all(free) else "given"
    columns = None if _differs(columns) else _one_for_all(columns)
    tolerances = _tolerances(call, header)
    found = {"columns": columns, "order": order, **_CELLS, "tolerances": tolerances, "by_gold": _by_gold(call)}
    return {name: value for name, value in found.items() if value not in ([], {}, None)}


def _by_gold(call: PublishedCall) -> dict[str, dict[str, Any]]:
    """What several golds do not agree on, by the name of the gold that it is stated for."""
    own: dict[str, dict[str, Any]] = {name: {} for name in call.golds}
    columns, free = call.options.get("specified_columns", []), call.options.get("ignore_order", [])
    if _differs(columns):
        for name, names in zip(call.golds, columns, strict=True):
            own[name]["columns"] = names
    if _differs(free):
        for name, ignored in zip(call.golds, free, strict=True):
            own[name]["order"] = "any" if ignored else "given"
    return {name: options for name, options in own.items() if options}


def _all_named(options: Mapping[str, Any], call: PublishedCall, header: Header, question: str) -> bool:
    """Whether a question names every column that counts: by its letters and digits, in any case."""
    own = [name for each in options.get("by_gold", {}).values() for name in each.get("columns", ())]
    columns = options.get("columns") or own or (header(call.golds[0]) if call.golds else ()) or ()
    asked = _bare(question)
    return all(_bare(column) in asked for column in columns if isinstance(column, str))


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _one_for_all(value: Any) -> Any:
    """What several golds agree on, where an option has a list with one value for each."""
    return value[0] if one_each(value) else value


def _differs(value: Any) -> bool:
    return one_each(value) and any(item != value[0] for item in value)


def _tolerances(call: PublishedCall, header: Header) -> dict[str, dict[str, float]]:
    """Tolerances by column name; a whole number is a position in the gold file. None means one percent."""
    thresholds = call.options.get("thresholds") or {}
    names = (header(call.golds[0]) or ()) if any(isinstance(key, int) for key in thresholds) else ()
    found: dict[str, dict[str, float]] = {}
    for key, value in thresholds.items():
        name = key if isinstance(key, str) else names[key] if 0 <= key < len(names) else None
        if name is not None:
            found[name] = {"relative": _TOLERANCE if value is None else value}
    return found


def _document(call: PublishedCall, _: Header) -> dict[str, Any]:
    """Lists in any order: the published scorer pairs their items so."""
    found = {
        "fields": _field(call.options.get("thresholds") or {}),
        "key": call.options.get("matched_keys") or [],
        "order": "any",
        "relative": _TOLERANCE,
        "self_reported": call.function == "compare_json_normalized",
    }
    return {name: value for name, value in found.items() if value not in ({}, [], False)}


def _field(threshold: Any) -> Any:
    """A threshold as the sound scorer takes it: a range from its lower to its upper end, no tolerance below 0."""
    if isinstance(threshold, dict):
        return {name: _field(item) for name, item in threshold.items()}
    if isinstance(threshold, list):
        return sorted(threshold)
    return threshold if threshold is None else max(threshold, 0)


def _model(call: PublishedCall, _: Header) -> dict[str, Any]:
    metric = call.options.get("metric", "accuracy").strip().lower().replace(" ", "_")
    lower, upper = call.options.get("lower_bound", 0.0), call.options.get("upper_bound", 1.0)
    falling = metric in _LOWER_IS_BETTER and lower < upper
    found = {
        "id_columns": call.options.get("matched_columns") or [],
        "value_columns": call.options.get("calculate_columns") or [],
        "metric": metric,
        "baseline": upper if falling else lower,
        "target": lower if falling else upper,
        "above_constant": True,
    }
    return {name: value for name, value in found.items() if value != []}


def _chart(call: PublishedCall, _: Header) -> dict[str, Any]:
    named = call.options.get("calculate_columns", ["type"])
    parts = ["data", *(_PARTS[name] for name in named if name in _PARTS)]
    return {"parts": list(dict.fromkeys(parts))}


def _text(_call: PublishedCall, _: Header) -> dict[str, Any]:
    return {"mode": "exact"}


def _database(call: PublishedCall, _: Header) -> dict[str, Any]:
    """Tables in the given order: the published scorer compares them so, whatever it is told."""
    found = {"tables": call.options.get("specified_schema") or {}, "order": "given", **_CELLS}
    return {name: value for name, value in found.items() if value != {}}


_SOUND: Final[Mapping[str, Callable[[PublishedCall, Header], dict[str, Any]]]] = {
    "compare_csv": _table,
    "compare_json": _document,
    "compare_json_normalized": _document,
    "compare_model": _model,
    "compare_image": _chart,
    "compare_text": _text,
    "compare_sqlite": _database,
}
