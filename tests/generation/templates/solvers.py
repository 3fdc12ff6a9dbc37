"""Twenty generated tasks solved from question and data alone: with SQL, or with plain Python and numpy, no pandas."""

import csv
import gzip
import io
import itertools
import json
import math
import sqlite3
import statistics
from collections import Counter, defaultdict

import duckdb
import numpy as np


def rows_of(path, delimiter=","):
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def sniffed(path):
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    head = text.splitlines()[0]
    return list(csv.DictReader(io.StringIO(text), delimiter=max(",;\t|", key=head.count)))


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def variance(values):
    return statistics.variance(values)


def pearson(x, y):
    return float(np.corrcoef(x, y)[0, 1])


def ranks(values):
    order = sorted(values)
    first = {value: order.index(value) + 1 for value in set(values)}
    count = Counter(values)
    return [first[value] + (count[value] - 1) / 2 for value in values]


def divisions(room):
    links = {(r["Division"], r["Conference"]) for r in sniffed(room / "football/american/nfl2007standings.csv")}
    left, right = {a for a, _ in links}, {b for _, b in links}
    return f"{len(links) / len(left):.4f}; {len(links) / len(right):.4f}; {len(links) / len(left) / len(right):.4f}"


def car_pairs(room):
    data = sniffed(room / "vehicles/surveys/auto.csv.gz")
    names = ["gear_ratio", "headroom", "trunk", "weight"]
    found = {
        (a, b): pearson(*(ranks([float(r[n]) for r in data]) for n in (a, b)))
        for a, b in itertools.combinations(names, 2)
    }
    best = max(found, key=lambda pair: abs(found[pair]))
    return f"{best[0]}; {best[1]}; {found[best]:.4f}"


def fuel_medians(room):
    cells = defaultdict(list)
    for r in sniffed(room / "misc/car.csv"):
        cells[r["choice"], r["fuel1"]].append(float(r["price3"].replace(",", ".")))
    by = defaultdict(list)
    for (choice, _), values in cells.items():
        by[choice].append(statistics.median(values))
    best = max(by, key=lambda choice: max(by[choice]) - min(by[choice]))
    return f"{best}; {max(by[best]) - min(by[best]):.3f}"


def cricketers(room):
    parts = defaultdict(list)
    for r in sniffed(room / "other_sports/cricketer.csv.gz"):
        parts[r["left"]].append(float(r["life"]))
    a, b = parts["left"], parts["right"]
    gap = statistics.fmean(a) - statistics.fmean(b)
    t = gap / math.sqrt(variance(a) / len(a) + variance(b) / len(b))
    pooled = math.sqrt(((len(a) - 1) * variance(a) + (len(b) - 1) * variance(b)) / (len(a) + len(b) - 2))
    return f"{t:.4f}; {gap / pooled:.4f}"


def barley(room):
    path = room / "field_trials/barley_minnesota.json"
    sums = duckdb.sql(f"SELECT sum(yield) FROM read_json('{path}') GROUP BY site").fetchall()
    shares = [value / sum(v for (v,) in sums) for (value,) in sums]
    return f"{-sum(p * math.log2(p) for p in shares):.4f}; {sum(p * p for p in shares):.4f}"


def heptathlon(room):
    scores = sorted((float(r["score"]) for r in sniffed(room / "olympics/heptathlon_seoul_1988.csv")), reverse=True)
    running = list(itertools.accumulate(scores))
    needed = next(k for k, value in enumerate(running, 1) if value >= 0.5 * running[-1])
    return f"{needed}; {100 * scores[0] / running[-1]:.2f}"


def co2(room):
    with sqlite3.connect(f"file:{room}/atmosphere/greenhouse/co2_stations.sqlite?mode=ro", uri=True) as base:
        tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        values = [[v for (v,) in base.execute(f'SELECT CO2 FROM "{name}"') if v is not None] for name in tables]
    base.close()
    means = [statistics.fmean(part) for part in values]
    return f"{statistics.fmean(itertools.chain(*values)):.2f}; {max(means) - min(means):.2f}"


def mann_whitney(a, b):
    placed = ranks([*a, *b])
    n, m = len(a), len(b)
    u = sum(placed[:n]) - n * (n + 1) / 2
    ties = sum(t**3 - t for t in Counter([*a, *b]).values())
    deviation = math.sqrt(n * m / 12 * ((n + m + 1) - ties / ((n + m) * (n + m - 1))))
    z = (abs(u - n * m / 2) - 0.5) / deviation
    return min(1.0, math.erfc(z / math.sqrt(2)))


def seasons(room):
    parts = defaultdict(list)
    for r in sniffed(room / "incoming/cloud_seeding2.csv"):
        parts[r["Season"]].append(float(r["NWC"].replace(",", ".")))
    p = sorted(mann_whitney(parts[a], parts[b]) for a, b in itertools.combinations(sorted(parts), 2))
    adjusted, high = [], 0.0
    for k, value in enumerate(p):
        high = max(high, (len(p) - k) * value)
        adjusted.append(min(1.0, high))
    return f"{sum(value < 0.05 for value in adjusted)}; {statistics.median(adjusted):.6f}"


def records_by_weekday(room):
    path = room / "running/misc/world_records.parquet"
    asked = f"""SELECT dayname(CAST("Date" AS DATE)) AS d, avg("Distance") AS m FROM '{path}' GROUP BY d ORDER BY m DESC LIMIT 1"""
    day, mean = duckdb.sql(asked).fetchone()
    return f"{day}; {mean:.3f}"


def kedzie(room):
    found = sorted((r["date"], float(r["Kedzie"])) for r in sniffed(room / "rail/chicago.csv.gz") if r["Kedzie"])
    changes = [(100 * (b / a - 1), day) for (_, a), (day, b) in itertools.pairwise(found)]
    best = max(changes)
    return f"{statistics.median(c for c, _ in changes):.3f}; {best[1][:10]}; {best[0]:.3f}"


def emissions(room):
    names = ["julday", "LNOx", "LNOxEm", "sqrtWS"]
    data = np.array(
        [[float(r[n].replace(",", ".")) for n in names] for r in sniffed(room / "stations/other/nox_emissions.tsv")]
    )
    values, axes = np.linalg.eigh(np.corrcoef(data, rowvar=False))
    shares = 100 * values[::-1] / values.sum()
    return f"{shares[0]:.3f}; {shares[0] + shares[1]:.3f}; {names[int(np.argmax(np.abs(axes[:, -1])))]}"


def cards(room):
    with sqlite3.connect(f"file:{room}/physiology/sports_cards.sqlite?mode=ro", uri=True) as base:
        table = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchone()[0]
        data = base.execute(f'SELECT gender, permonth, years FROM "{table}"').fetchall()
    base.close()
    whole = pearson([r[1] for r in data], [r[2] for r in data])
    by = {
        g: pearson([r[1] for r in data if r[0] == g], [r[2] for r in data if r[0] == g]) for g in {r[0] for r in data}
    }
    best = max(by, key=lambda g: abs(by[g] - whole))
    return f"{best}; {by[best]:.4f}"


def crickets(room):
    data = sniffed(room / "experiments/crickets.csv")
    number = lambda text: float(text.replace(",", "."))  # noqa: E731
    y = np.array([number(r["rate"]) for r in data])
    x = np.array([[1.0, float(r["species"] == "O. niveus"), number(r["temp"])] for r in data])
    inverse = np.linalg.inv(x.T @ x)
    beta = inverse @ x.T @ y
    left = y - x @ beta
    robust = inverse @ (x.T * left**2) @ x @ inverse * len(y) / (len(y) - 3)
    fit = 1 - (left**2).sum() / ((y - y.mean()) ** 2).sum()
    return f"{beta[1]:.4f}; {math.sqrt(robust[1, 1]):.4f}; {fit:.4f}"


def sleepers(room):
    by = defaultdict(list)
    for r in sniffed(room / "animals/mammal_sleep.tsv"):
        if r["vore"] not in ("", "NA"):
            by[r["vore"]].append(len(r["name"].split()))
    best = max(by, key=lambda vore: statistics.fmean(by[vore]))
    return f"{best}; {statistics.fmean(by[best]):.3f}"


def clouds(room):
    sums = defaultdict(Counter)
    for r in sniffed(room / "paleo/clouds.txt"):
        sums[r["echomotion"]][r["seeding"]] += float(r["cloudcover"].replace(",", "."))
    lines = [
        f"{motion},{kinds.most_common(1)[0][0]},{100 * max(kinds.values()) / kinds.total():.3f}"
        for motion, kinds in sums.items()
    ]
    return "\n".join(["echomotion,seeding,percent", *lines])


def strikes(room):
    cells = defaultdict(list)
    for r in sniffed(room / "aviation/incidents/wildlife_strikes.csv.gz"):
        if r["speed"] not in ("", "NA") and r["height"] not in ("", "NA"):
            speed = float(r["speed"])
            cells[1 + sum(speed >= edge for edge in (120, 140, 160, 180))].append(float(r["height"]))
    lines = [f"{k},{len(v)},{statistics.median(v):.2f}" for k, v in sorted(cells.items())]
    return "\n".join(["bin,rows,median", *lines])


def car_words(room):
    counts = Counter()
    for r in sniffed(room / "road/studies/auto.csv.gz"):
        letters = "".join(c if "a" <= c <= "z" else " " for c in r["name"].lower())
        counts.update({word for word in letters.split() if len(word) >= 5})
    ordered = sorted(counts, key=lambda word: (-counts[word], word))[:3]
    return "; ".join(f"{word}; {counts[word]}" for word in ordered)


def regions(room):
    states = {r["stateabb"].strip().lower(): r["region"] for r in sniffed(room / "road/state_names.tsv")}
    by = defaultdict(list)
    for r in sniffed(room / "rail/fatalities.txt"):
        if (region := states.get(r["state"].strip().lower())) and r["nfatal1820"]:
            by[region].append(float(r["nfatal1820"]))
    return "\n".join(["region,rows,median", *(f"{k},{len(v)},{statistics.median(v):.2f}" for k, v in by.items())])


def scat(room):
    data = [r for r in records(room / "animals/misc/scat.jsonl") if r["d13C"] is not None and r["Month"]]
    counts = Counter(r["Month"] for r in data)
    rare = [r["d13C"] for r in data if counts[r["Month"]] < 10]
    common = [r["d13C"] for r in data if counts[r["Month"]] >= 10]
    return f"{statistics.median(rare) - statistics.median(common):.2f}"


def rice(room):
    from sklearn.linear_model import Ridge

    data = sniffed(room / "field_trials/rice_farms_java.csv.gz")
    number = lambda text: float(text.replace(",", "."))  # noqa: E731
    x = np.array([[number(r[n]) for n in ("noutput", "pesticide", "size")] for r in data])
    y = np.array([number(r["purea"]) for r in data])
    x, y = (x - x.mean(0)) / x.std(0), y - y.mean()

    def error(penalty):
        squares = []
        for fold in range(5):
            held = np.arange(len(y)) % 5 == fold
            model = Ridge(alpha=penalty, fit_intercept=False).fit(x[~held], y[~held])
            squares.extend((y[held] - model.predict(x[held])) ** 2)
        return math.sqrt(statistics.fmean(squares))

    return f"{error(10):.4f}; {error(1000) / error(0.1):.4f}"


SOLVERS = {
    "two_sided_network-sport-4491f45eb4": divisions,
    "strongest_pair-transport-a8b6c70578": car_pairs,
    "wide_table-transport-cda40179fb": fuel_medians,
    "welch-sport-63771486e0": cricketers,
    "concentration-biology-77d8944693": barley,
    "few_hold_most-sport-7342dce7d4": heptathlon,
    "stacked_tables-weather-336adc2543": co2,
    "several_comparisons-weather-cbe7779aa5": seasons,
    "by_weekday-sport-2922d07918": records_by_weekday,
    "growth-transport-802c19f9e2": kedzie,
    "principal_components-weather-d211d44b2b": emissions,
    "correlation_of_groups-sport-336028d359": cards,
    "adjusted_difference-weather-15cb50ea8d": crickets,
    "lengths_of_texts-biology-80fadc8b8c": sleepers,
    "leading_kind-weather-eff7195a5b": clouds,
    "bins_of_equal_width-transport-5911489714": strikes,
    "common_words-transport-d06c82f7d5": car_words,
    "group_of_partner-transport-dce919c665": regions,
    "lumped_rare_groups-biology-f1cdea0280": scat,
    "ridge_folds-biology-a066924c2e": rice,
}
"""By the name of the draft: its template, its room, and a digest of its question."""
