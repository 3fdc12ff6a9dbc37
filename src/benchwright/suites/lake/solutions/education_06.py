import pandas as pd

folder = "/data/schools/states"
sat = pd.read_csv(f"{folder}/sat_by_state.tsv", sep="\t")
finance = pd.read_csv(f"{folder}/education_finance.csv", sep=";")
names = pd.read_json(f"{folder}/names_of_states.json")
sat["taking"] = sat["frac"].str.rstrip("%").astype(int)
both = sat.merge(names, left_on="state", right_on="statename")
both = both.merge(finance, left_on="stateabb", right_on="state_code")
few = both[both["taking"] <= 10]
print(f"{len(few)}; {few['sat'].mean():.2f}; {few['teacher_pay_1000'].mean():.2f}")
