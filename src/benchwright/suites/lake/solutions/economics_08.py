import pandas as pd

changes = pd.read_csv("/data/usa/labour/minimum_wage_changes.txt", sep="|")
changes["date"] = pd.to_datetime(changes["date"], format="%d-%b-%Y")
changes = changes.sort_values("date")
days = changes["date"].diff().shift(-1).dt.days
longest = days.idxmax()
wage = float(changes.loc[longest, "wage"].lstrip("$"))
print(f"{days[longest]:.0f}; {wage:.2f}")
