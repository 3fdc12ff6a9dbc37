import numpy as np
import pandas as pd

beer = pd.read_csv("/data/time_series/fpp2/ausbeer.csv")
years = beer.groupby(np.floor(beer["time"] + 0.001).astype(int))["value"].agg(["sum", "size"])
totals = years.loc[years["size"] == 4, "sum"]
span = totals.loc[1960:2005]
slope = np.polyfit(span.index, span, 1)[0]
print(f"{totals.idxmax()}; {totals.max()}; {slope:.3f}")
