import pandas as pd

sheets = pd.read_excel("/data/credit/card_balances.xlsx", sheet_name=["customers", "accounts"])
cards = sheets["customers"].merge(sheets["accounts"], on="ID")
students = cards[cards["Student"] == "Yes"]
print(f"{students['Balance'].mean():.3f}; {cards['Income'].corr(cards['Balance']):.4f}")
