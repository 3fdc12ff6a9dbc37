import json
from pathlib import Path

import pandas as pd

seattle = pd.DataFrame(json.loads(Path("/data/stations/hourly/seattle_2010.json").read_text()))
francisco = pd.read_csv("/data/stations/hourly/san_francisco_2010.csv.gz")
seattle["hour"] = pd.to_datetime(seattle["date"], format="%Y/%m/%d %H:%M")
francisco["hour"] = pd.to_datetime(francisco["date"], format="%m/%d/%Y %I:%M %p")
both = francisco.merge(seattle, on="hour", suffixes=("_francisco", "_seattle"))
difference = both["temp_francisco"] - both["temp_seattle"]
print(f"{difference.mean():.2f}; {(difference < 0).sum()}")
