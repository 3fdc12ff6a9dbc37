import pandas as pd

athletes = pd.read_csv("/data/olympics/heptathlon_seoul_1988.csv", sep=";", decimal=",", encoding="cp1252")
events = ["hurdles", "run200m", "run800m"]
print("; ".join(f"{event}: {athletes[event].corr(athletes['score']):.4f}" for event in events))
