import pandas as pd

people = pd.read_csv("/data/cohorts/whickham.csv", encoding="utf-16")
people["dead"] = people["outcome"] == "Dead"
middle = people[people["age"].between(55, 64)]
shares = [group.loc[group["smoker"] == answer, "dead"].mean() for group in (people, middle) for answer in ("Yes", "No")]
print("; ".join(f"{share * 100:.1f}%" for share in shares))
