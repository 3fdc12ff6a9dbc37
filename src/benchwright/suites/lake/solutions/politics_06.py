import pandas as pd

polls = pd.read_parquet("/data/elections/polls_2016.parquet")
results = pd.read_json("/data/elections/turnout_2016.json").set_index("state")
late = polls[polls["enddate"] >= "2016-10-15"].copy()
late["margin"] = late["rawpoll_trump"] - late["rawpoll_clinton"]
margins = late.groupby("state")["margin"].agg(["mean", "size"])
both = results.join(margins[margins["size"] >= 10], how="inner")
correlation = both["mean"].corr(both["trump_share"])
print(f"{len(both)}; {correlation:.4f}; {both.groupby('region')['mean'].mean().idxmax()}")
