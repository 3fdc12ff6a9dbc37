import pandas as pd

scorecard = pd.read_csv("/data/universities/college_scorecard_earnings.csv.gz")
chosen = scorecard[(scorecard["year"] == 2014) & (scorecard["state_abbr"] == "CA") & scorecard["earnings_med"].notna()]
print(f"{chosen['earnings_med'].mean():.1f}; {len(chosen)}")
