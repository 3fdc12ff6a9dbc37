import pandas as pd

answers = pd.read_csv("/data/personality/big_five/answers.csv")
items = ["C1", "C2", "C3", "C4", "C5"]
answers[["C4", "C5"]] = 7 - answers[["C4", "C5"]]
answers["score"] = answers[items].mean(axis=1, skipna=False)
means = answers.groupby("gender")["score"].mean()
print(f"{means[2]:.4f}; {means[1]:.4f}; {means[2] - means[1]:.4f}")
