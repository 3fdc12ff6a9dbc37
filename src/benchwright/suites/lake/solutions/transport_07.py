import pandas as pd

strikes = pd.read_csv("/data/aviation/incidents/wildlife_strikes.csv.gz")
month = pd.to_datetime(strikes["date"].str.split().str[0], format="%m/%d/%Y").dt.strftime("%Y-%m")
busiest = month.value_counts().idxmax()
reports = strikes[month == busiest]
share = (reports["phase_of_flt"] == "Approach").mean() * 100
print(f"{busiest}; {share:.1f}%")
