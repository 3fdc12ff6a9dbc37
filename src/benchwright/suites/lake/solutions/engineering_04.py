import pandas as pd

processors = pd.read_csv("/data/computers/processors_2010_2020.csv", sep="|")
processors["year"] = pd.to_datetime(processors["released"], format="%d-%m-%Y").dt.year
recent = processors[processors["year"].between(2017, 2020)].astype({"year": int})
table = recent.groupby(["year", "company"])["cores"].agg(processors="size", max_cores="max").reset_index()
table.to_csv("processors.csv", index=False)
