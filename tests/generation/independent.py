"""Answers to sampled questions of a generated suite, worked out from question and data alone: SQL, numpy, no pandas."""

import csv
import gzip
import io
import json
import math
import re
import sqlite3
from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise
from statistics import fmean, median, stdev

import duckdb
import numpy as np
import polars as pl

MISSING = ("", "NA", "NULL", "null", "N/A", "NaN")


def lines(path):
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    return content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")


def table(path):
    text = lines(path)
    head = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=max("\t;|,", key=head.count))
    return [{name: None if cell in MISSING else cell for name, cell in row.items()} for row in rows]


def records(path):
    text = lines(path)
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def selected(path, query):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        found = base.execute(query).fetchall()
    base.close()
    return found


def written(head, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def by(rows, key):
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def known(rows, name):
    return [float(row[name]) for row in rows if row[name] is not None]


def biology_008(hawks):
    found = []
    for name in ("Wing", "Weight", "Hallux", "Tail"):
        values = np.array(known(table(hawks), name))
        n, away = len(values), values - values.mean()
        skew = (away**3).mean() / (away**2).mean() ** 1.5 * math.sqrt(n * (n - 1)) / (n - 2)
        found.append((name, n, round(float(np.quantile(values, 0.9)), 4), round(float(skew), 4)))
    return written(("variable", "known", "q90", "skewness"), found)


def biology_012(iris):
    query = f"""SELECT species, 100.0 * count(*) FILTER (petal_length > 3 AND petal_width <= 1.2) / count(*) AS share
        FROM read_csv('{iris}') GROUP BY species ORDER BY share DESC LIMIT 1"""
    [(species, share)] = duckdb.sql(query).fetchall()
    return f"{species}; {share:.2f}"


def culture_007(film):
    groups = by(selected(film, "SELECT Time_code, Description FROM film"), lambda row: row[0])
    found = []
    for code, rows in groups.items():
        mean = fmean(value for _, value in rows)
        found.append((code, round(100 * fmean(value > mean for _, value in rows), 3), round(mean, 3)))
    return written(("Time_code", "percent_above", "mean"), found)


def demography_011(marriage):
    days = sorted({date.fromisoformat(text[:10]) for (text,) in selected(marriage, "SELECT dob FROM marriage") if text})
    gaps = [(late - early).days for early, late in pairwise(days)]
    return f"{max(gaps)}; {days[gaps.index(max(gaps))]}; {fmean(gaps):.3f}"


def demography_015(panel):
    counts = Counter()
    for row in table(panel):
        counts.update({word for word in re.findall("[a-z]+", (row["region"] or "").lower()) if len(word) >= 5})
    return "; ".join(f"{word}; {n}" for word, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:3])


def dsbc_013(power):
    query = f"""SELECT hour(datetime) AS h, avg(W2M_san) AS mean
        FROM read_csv('{power}', types={{'datetime': 'TIMESTAMP'}}) GROUP BY h ORDER BY mean"""
    means = duckdb.sql(query).fetchall()
    return f"{means[-1][0]}; {means[0][0]}; {means[-1][1] - means[0][1]:.3f}"


def filled_days(rows, when, name):
    """Days without a value between the first and the last, and the mean of all days with these between neighbours."""
    kept = sorted((date.fromisoformat(row[when][:10]), float(row[name])) for row in rows if row[name] is not None)
    first, last = kept[0][0], kept[-1][0]
    places = [(day - first).days for day, _ in kept]
    values = np.interp(range((last - first).days + 1), places, [value for _, value in kept])
    return (last - first) // timedelta(1) + 1 - len(set(places)), float(values.mean())


def economics_002(unemployment):
    missing, mean = filled_days(records(unemployment), "date", "unemploy")
    return f"{missing}; {mean:.3f}"


def economics_007(presidents):
    rows = pl.read_parquet(presidents).drop_nulls(["unempSource", "GDPdeflator"])
    groups = [np.array(part["GDPdeflator"]) for part in rows.partition_by("unempSource")]
    whole = np.concatenate(groups)
    within = sum(((part - part.mean()) ** 2).sum() for part in groups)
    total = ((whole - whole.mean()) ** 2).sum()
    f = (total - within) / (len(groups) - 1) / (within / (len(whole) - len(groups)))
    return f"{f:.4f}; {1 - within / total:.4f}"


def economics_012(houses):
    rows = records(houses)
    seen = Counter((row["aircon"], row["prefer"]) for row in rows)
    left, right = Counter(row["aircon"] for row in rows), Counter(row["prefer"] for row in rows)
    chi = sum(
        (seen[a, b] - left[a] * right[b] / len(rows)) ** 2 / (left[a] * right[b] / len(rows))
        for a in left
        for b in right
    )
    return f"{chi:.4f}; {math.sqrt(chi / len(rows) / (min(len(left), len(right)) - 1)):.4f}"


def engineering_013(packages):
    months = by(pl.read_parquet(packages).to_dicts(), lambda row: str(row["Date"])[:7])
    means = sorted((month, fmean(row["Packages"] for row in rows)) for month, rows in months.items())
    rise, month = max((late[1] - early[1], late[0]) for early, late in pairwise(means))
    return f"{month}; {rise:.3f}"


def engineering_015(processors):
    rows = [row for row in table(processors) if row["base_clock"] and row["tdp"] and row["company"]]
    x = np.array([[1.0, row["company"] == "Intel", float(row["tdp"])] for row in rows])
    y = np.array([float(row["base_clock"]) for row in rows])
    inverse = np.linalg.inv(x.T @ x)
    weights = inverse @ x.T @ y
    rest = y - x @ weights
    covariance = inverse @ (x.T * rest**2) @ x @ inverse * len(y) / (len(y) - 3)
    explained = 1 - (rest**2).sum() / ((y - y.mean()) ** 2).sum()
    return f"{weights[1]:.4f}; {math.sqrt(covariance[1, 1]):.4f}; {explained:.4f}"


def finance_005(stocks):
    prices = by(table(stocks), lambda row: row["symbol"])
    a, b = known(prices["GOOG"], "price"), known(prices["IBM"], "price")
    va, vb, gap = stdev(a) ** 2, stdev(b) ** 2, fmean(a) - fmean(b)
    pooled = math.sqrt(((len(a) - 1) * va + (len(b) - 1) * vb) / (len(a) + len(b) - 2))
    return f"{gap / math.sqrt(va / len(a) + vb / len(b)):.4f}; {gap / pooled:.4f}"


def health_004(patients):
    rows = records(patients)
    middle = {name: median(known(each, "bdi.4m")) for name, each in by(rows, lambda row: row["treatment"]).items()}
    filled = [middle[row["treatment"]] if row["bdi.4m"] is None else row["bdi.4m"] for row in rows]
    return f"{fmean(filled):.2f}; {stdev(filled):.2f}"


def split(sizes, values, limit):
    """How many values have a size above a limit, and how far their median lies above that of the others."""
    sizes = {name.strip().casefold(): float(size) for name, size in sizes if size is not None}
    pairs = [(sizes.get(name.strip().casefold()), float(value)) for name, value in values if value is not None]
    high = [value for size, value in pairs if size is not None and size > limit]
    low = [value for size, value in pairs if size is not None and size <= limit]
    return len(high), median(high) - median(low)


def politics_015(crime, votes):
    sizes = [(row["State"], row["democrat_minus_republican"]) for row in table(votes)]
    count, gap = split(sizes, [(row["state"], row["murder"]) for row in records(crime)], -1.5)
    return f"{count}; {gap:.3f}"


def psychology_012(parenting):
    rows = selected(parenting, "SELECT play, emotion FROM parenting WHERE play IS NOT NULL AND emotion IS NOT NULL")
    bins = by(rows, lambda row: 1 + sum(row[0] >= edge for edge in (3, 4.5, 6, 7.5)))
    found = [(number, len(each), median(emotion for _, emotion in each)) for number, each in sorted(bins.items())]
    return written(("bin", "rows", "median"), found)


def retail_007(menu, orders):
    kinds = {row["name"].strip().casefold(): row["type"] for row in records(menu)}
    sold = [row for row in pl.read_parquet(orders).to_dicts() if row["name"] is not None and row["price"] is not None]
    groups = by(sold, lambda row: kinds.get(row["name"].strip().casefold()))
    found = [(kind, len(each), median(known(each, "price"))) for kind, each in groups.items() if kind is not None]
    return written(("type", "rows", "median"), found)


def retail_013(avocado):
    missing, mean = filled_days(records(avocado), "Date", "AveragePrice")
    return f"{missing}; {mean:.4f}"


def teaching_archive_001(nations, codes):
    listed = {row["country_name"].strip().casefold() for row in table(codes) if row["country_name"]}
    rows = [row for row in table(nations) if row["hale"] is not None]
    alone = {row["country"].strip().casefold() for row in table(nations)} - listed
    theirs = math.fsum(float(row["hale"]) for row in rows if row["country"].strip().casefold() in alone)
    return f"{len(alone)}; {100 * theirs / math.fsum(known(rows, 'hale')):.3f}"


def teaching_archive_010(rents, votes):
    sizes = [(row["state"], row["clinton"]) for row in table(votes)]
    values = [(row["NAME"], row["estimate"]) for row in pl.read_parquet(rents).to_dicts()]
    count, gap = split(sizes, values, 44)
    return f"{count}; {gap:.1f}"


def teaching_archive_013(nations):
    names = ("agd", "gdppc", "urbanshare")
    rows = [row for row in table(nations) if all(row[name] is not None for name in names)]
    values = np.array([[float(row[name]) for name in names] for row in rows])
    scores = ((values - values.min(0)) / (values.max(0) - values.min(0))).mean(1)
    return "; ".join(rows[place]["country"] for place in np.argsort(-scores)[:3])
