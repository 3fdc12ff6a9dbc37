import json
from pathlib import Path

import pandas as pd

folder = Path("/data/usa/labour")
months = pd.DataFrame(json.loads((folder / "unemployment_duration_monthly.json").read_text()))
recessions = pd.read_csv(folder / "recessions.csv").dropna()
date = pd.to_datetime(months["date"])
inside = pd.Series(False, index=months.index)
for recession in recessions.itertuples():
    peak, trough = (pd.to_datetime(text, format="%B %Y") for text in (recession.peak, recession.trough))
    inside |= (date > peak) & (date <= trough)
print(f"{months.loc[inside, 'uempmed'].mean():.3f}; {months.loc[~inside, 'uempmed'].mean():.3f}")
