import pandas as pd

tests = pd.read_json("/data/registers/covid_tests_childrens_hospital.jsonl.gz", lines=True)
result = tests["result"].str.strip().str.lower()
positive = (result == "positive").sum()
valid = result.isin(["positive", "negative"]).sum()
print(f"{positive}; {positive / valid * 100:.2f}%")
