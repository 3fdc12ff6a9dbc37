"""Answers to sampled questions of a generated suite, worked out from question and data alone: nothing of their workflows is used."""

import csv
import gzip
import json
import math
import re
from collections import Counter, defaultdict
from datetime import date, datetime
from itertools import combinations, pairwise
from statistics import NormalDist, fmean, stdev

import numpy as np
import openpyxl
import polars as pl

MISSING = ("", "NA", "NULL", "null", "N/A", "NaN")


def lines(path):
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    return content.decode("utf-16" if content[:2] == b"\xff\xfe" else "utf-8-sig")


def table(path):
    text = lines(path)
    head = text.partition("\n")[0]
    rows = csv.DictReader(text.splitlines(), delimiter=max("\t;|,", key=head.count))
    return [{name: None if cell in MISSING else cell for name, cell in row.items()} for row in rows]


def records(path):
    return [json.loads(line) for line in lines(path).splitlines() if line.strip()]


def by(rows, key):
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def lift_of_pairs(path):
    rows = json.loads(lines(path))
    rows = rows if isinstance(rows, list) else next(iter(rows.values()))
    pairs = Counter((row["ethnicity"], row["union"]) for row in rows)
    left, right = Counter(row["ethnicity"] for row in rows), Counter(row["union"] for row in rows)
    lifts = {pair: count * len(rows) / (left[pair[0]] * right[pair[1]]) for pair, count in pairs.items()}
    best = max(lifts, key=lifts.get)
    return f"{best[0]}; {best[1]}; {lifts[best]:.4f}"


def components(columns, names):
    values = np.array(columns, float)
    correlation = np.corrcoef(values)
    roots, vectors = np.linalg.eigh(correlation)
    shares = roots[::-1] / roots.sum() * 100
    top = names[int(np.abs(vectors[:, -1]).argmax())]
    return f"{shares[0]:.3f}; {shares[0] + shares[1]:.3f}; {top}"


def hawaii(path):
    names = ["distance_km", "age_million_years", "error"]
    rows = table(path)
    return components([[float(row[name]) for row in rows] for name in names], names)


def sowc(path):
    names = "total_pop_2018 life_expectancy_2000 dependency_ratio_oldage percent_urban_2018 migration_rate".split()
    rows = table(path)
    rows = [row for row in rows if all(row[name] is not None for name in names)]
    return components([[float(row[name]) for row in rows] for name in names], names)


def rain(path):
    rows = [row for row in table(path) if row["RF (mm)"] is not None]
    months = by(rows, lambda row: row["From Date"][:7])
    means = sorted((month, fmean(float(row["RF (mm)"]) for row in each)) for month, each in months.items())
    rise, month = max((late[1] - early[1], late[0]) for early, late in pairwise(means))
    return f"{month}; {rise:.4f}"


def freedom(path):
    rows = [row for row in table(path) if row["personal_freedom"] is not None]
    return variance(by(rows, lambda row: row["region"]), lambda row: float(row["personal_freedom"]))


def sorption(path):
    rows = [row for row in table(path) if row["m5"] is not None]
    return variance(by(rows, lambda row: row["Cultivar"]), lambda row: float(row["m5"]))


def variance(groups, value):
    values = [[value(row) for row in each] for each in groups.values()]
    flat = [x for each in values for x in each]
    mean = fmean(flat)
    between = math.fsum(len(each) * (fmean(each) - mean) ** 2 for each in values)
    within = math.fsum((x - fmean(each)) ** 2 for each in values for x in each)
    f = between / (len(values) - 1) / (within / (len(flat) - len(values)))
    return f"{f:.4f}; {between / (between + within):.4f}"


def ridge(rows, target, names):
    x = np.array([[float(row[name]) for name in names] for row in rows])
    y = np.array([float(row[target]) for row in rows])
    x = (x - x.mean(0)) / x.std(0)
    y = y - y.mean()
    errors = {}
    for p in (0.1, 10, 1000):
        residuals = []
        for fold in range(5):
            test = np.arange(len(y)) % 5 == fold
            # a ridge regression is a least squares with rows added
            a = np.vstack([x[~test], math.sqrt(p) * np.eye(len(names))])
            b = np.concatenate([y[~test], np.zeros(len(names))])
            weights, *_ = np.linalg.lstsq(a, b, rcond=None)
            residuals.extend(y[test] - x[test] @ weights)
        errors[p] = math.sqrt(fmean(r * r for r in residuals))
    return f"{errors[10]:.4f}; {errors[1000] / errors[0.1]:.4f}"


def school(path):
    return ridge(table(path), "teacher", ["occupation", "counseling", "selfesteem"])


def belts(path):
    return ridge(records(path), "front", ["PetrolPrice", "VanKilled", "rear"])


def quantile(values, q):
    values = sorted(values)
    place = q * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def fences(groups):
    outside, rest = 0, []
    for values in groups.values():
        q1, q3 = quantile(values, 0.25), quantile(values, 0.75)
        inside = [v for v in values if q1 - 1.5 * (q3 - q1) <= v <= q3 + 1.5 * (q3 - q1)]
        outside += len(values) - len(inside)
        rest += inside
    return f"{outside}; {fmean(rest):.2f}"


def chickens(path):
    groups = by(pl.read_parquet(path).to_dicts(), lambda row: row["feed"])
    return fences({name: [row["weight"] for row in rows] for name, rows in groups.items()})


def covid(path):
    rows = [row for row in records(path) if row.get("payor_group") not in (None, "NA", "")]
    groups = by(rows, lambda row: row["payor_group"])
    return fences({name: [float(row["rec_ver_tat"]) for row in each] for name, each in groups.items()})


def alike(names):
    grams = {name: {"".join(pair) for pair in pairwise(name.lower())} for name in names}
    scored = [
        (-len(grams[a] & grams[b]) / len(grams[a] | grams[b]), a, b)
        for a, b in combinations(sorted(grams), 2)
        if grams[a] | grams[b]
    ]
    score, a, b = min(scored)
    return f"{a}; {b}; {-score:.4f}"


def champions(path):
    return alike({row["country"] for row in table(path) if row["country"]})


def employed(path):
    return alike(set(pl.read_parquet(path)["emp_length"].drop_nulls()))


def illiteracy(path):
    return alike({row["state"] for row in records(path) if row["state"]})


def marathon(path):
    totals = Counter()
    for row in table(path):
        day = datetime.strptime(row["Date"], "%m/%d/%Y").date()  # noqa: DTZ007 - a day, and no moment
        if day.month >= 7:
            totals[f"{day:%Y-%m}"] += float(row["Miles"])
    month = max(totals, key=totals.get)
    return f"{month}; {totals[month] / sum(totals.values()) * 100:.3f}"


def populations(path):
    values = [v for v in pl.read_parquet(path)["population"].to_list() if v is not None]
    mean, spread, limit = fmean(values), stdev(values), 36_800_000
    normal = 1 - NormalDist(mean, spread).cdf(limit)
    seen = sum(v > limit for v in values) / len(values)
    bound = spread**2 / (spread**2 + (limit - mean) ** 2)
    return f"{normal:.4f}; {seen:.4f}; {bound:.4f}"


def courses(path):
    pairs = Counter()
    for row in records(path):
        if row["course"] is not None:
            pairs.update(pairwise(re.findall(r"[a-z0-9]+", row["course"].lower())))
    top = min(pairs, key=lambda pair: (-pairs[pair], " ".join(pair)))
    return f"{' '.join(top)}; {pairs[top]}; {len(pairs)}"


def credit(path):
    rows = [row for row in table(path) if row["Income"] is not None]

    def pearson(each):
        x, y = [float(row["Income"]) for row in each], [float(row["Price"]) for row in each]
        mx, my = fmean(x), fmean(y)
        return math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / math.sqrt(
            math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y)
        )

    whole = pearson(rows)
    inside = {name: pearson(each) for name, each in by(rows, lambda row: row["Status"]).items()}
    name = max(inside, key=lambda key: abs(inside[key] - whole))
    return f"{name}; {inside[name]:.4f}"


def strikes(path):
    words = Counter()
    for row in table(path):
        words.update({word for word in re.findall("[a-z]+", row["operator"].lower()) if len(word) >= 5})
    top = sorted(words, key=lambda word: (-words[word], word))[:3]
    return "; ".join(f"{word}; {words[word]}" for word in top)


def nearest(rows, target, names):
    x = np.array([[float(row[name]) for name in names] for row in rows])
    test = np.arange(len(rows)) % 3 == 2
    x = (x - x[~test].mean(0)) / x[~test].std(0)
    train, labels = x[~test], [row[target] for row, out in zip(rows, test, strict=True) if not out]
    truth = [row[target] for row, out in zip(rows, test, strict=True) if out]
    found = [labels[int(((train - point) ** 2).sum(1).argmin())] for point in x[test]]
    right = [a == b for a, b in zip(found, truth, strict=True)]
    recalls = [fmean(ok for ok, name in zip(right, truth, strict=True) if name == one) for one in set(truth)]
    return f"{fmean(right):.4f}; {fmean(recalls):.4f}"


def stocks(path):
    return nearest(table(path), "Name", ["open", "low", "close", "volume"])


def polls(path):
    rows = json.loads(lines(path))
    return nearest(rows, "poll_type", ["samplesize", "leave", "undecided", "spread"])


def weekdays(path):
    rows = json.loads(lines(path))
    days = by(rows, lambda row: f"{date.fromisoformat(row['enddate']):%A}")
    means = {day: fmean(float(row["leave"]) for row in each) for day, each in days.items()}
    best = max(means, key=means.get)
    return f"{best}; {means[best]:.6f}"


def gases(path):
    rows = table(path)
    x = np.array([[float(row[name]) for name in ("ccl4", "halons", "wmo_minor")] for row in rows])
    x = (x - x.mean(0)) / x.std(0)
    centres = [x[0], x[-1]]
    for turn in range(11):
        far = [((x - centre) ** 2).sum(1) for centre in centres]
        first = far[0] <= far[1]
        if turn < 10:
            centres = [x[first].mean(0), x[~first].mean(0)]
    return f"{int(first.sum())}; {float(np.where(first, far[0], far[1]).sum()):.3f}"


def gdp(path):
    rows = [row for row in table(path) if row["gdp"] is not None]
    a, b = ([float(row["gdp"]) for row in rows if row["country"] == name] for name in ("China", "United States"))
    va, vb = stdev(a) ** 2, stdev(b) ** 2
    t = (fmean(a) - fmean(b)) / math.sqrt(va / len(a) + vb / len(b))
    pooled = math.sqrt(((len(a) - 1) * va + (len(b) - 1) * vb) / (len(a) + len(b) - 2))
    return f"{t:.4f}; {(fmean(a) - fmean(b)) / pooled:.4f}"


def processors(path):
    rows = table(path)
    known = [(float(r["cores"]), float(r["l3_cache"])) for r in rows if r["l3_cache"] is not None]
    mx, my = fmean(x for x, _ in known), fmean(y for _, y in known)
    slope = math.fsum((x - mx) * (y - my) for x, y in known) / math.fsum((x - mx) ** 2 for x, _ in known)
    blank = [float(r["cores"]) for r in rows if r["l3_cache"] is None]
    filled = [y for _, y in known] + [my + slope * (x - mx) for x in blank]
    return f"{slope:.4f}; {fmean(filled):.2f}"


def turnips(path):
    header, *rows = openpyxl.load_workbook(path, data_only=True).active.iter_rows(values_only=True)
    prices = [float(price) for price in (row[header.index("price")] for row in rows) if price is not None]
    places = np.random.default_rng(476).integers(0, len(prices), size=(1000, len(prices)))
    means = [fmean(prices[k] for k in row) for row in places.tolist()]
    return f"{quantile(means, 0.05):.3f}; {quantile(means, 0.95):.3f}"
