import pandas as pd

districts = pd.read_csv("/data/schools/california/districts_1999.csv")
districts["ratio"] = districts["students"] / districts["teachers"]
counties = districts.groupby("county").agg(
    districts=("ratio", "size"), ratio=("ratio", "mean"), reading=("read", "mean")
)
top = counties[counties["districts"] >= 10].sort_values("reading", ascending=False).head(8)
top["ratio"] = top["ratio"].map("{:.3f}".format)
top["reading"] = top["reading"].map("{:.3f}".format)
top.to_csv("counties.csv")
