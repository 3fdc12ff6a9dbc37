import pandas as pd

deaths = pd.read_csv("/data/history/london_cholera_1849.csv")
cholera = deaths[deaths["cause_of_death"] == "Cholera"]
worst = cholera.loc[cholera["deaths"].idxmax(), "date"]
date = pd.to_datetime(worst, format="%B %d, %Y")
print(f"{(cholera['deaths'] >= 100).sum()}; {date:%Y-%m-%d}")
