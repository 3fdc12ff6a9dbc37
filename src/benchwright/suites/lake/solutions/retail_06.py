import pandas as pd

inspections = pd.read_csv("/data/restaurants/anchorage_inspections.csv.gz")
name = inspections["business_name"].str.strip().str.upper()
scores = inspections.groupby(name)["inspection_score"].agg(["size", "mean"])
busiest = scores["size"].idxmax()
print(f"{busiest}; {scores.loc[busiest, 'size']}; {scores.loc[busiest, 'mean']:.2f}")
