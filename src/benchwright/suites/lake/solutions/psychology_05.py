import pandas as pd

wages = pd.read_parquet("/data/surveys/wages_gss.parquet")
economy = pd.read_csv("/data/surveys/consumer_prices_for_wages.csv").set_index("Year")
chosen = wages[
    (wages["gender"] == "Female")
    & (wages["work_status"] == "Full-Time")
    & wages["year"].between(1980, 2018)
    & wages["real_income"].notna()
]
median = chosen.groupby("year")["real_income"].median()
both = pd.concat([median, economy["unemployment"]], axis=1, join="inner").dropna()
correlation = both["real_income"].rank().corr(both["unemployment"].rank())
print(f"{correlation:.3f}; {median.idxmax()}")
