import sqlite3

import pandas as pd

path = "file:/data/universities/course_evaluations_texas.sqlite?mode=ro"
with sqlite3.connect(path, uri=True) as connection:
    courses = pd.read_sql("SELECT * FROM course JOIN professor USING (prof_id)", connection)
tenured = courses[courses["rank"] == "tenured"].groupby("gender")["score"].mean()
correlation = courses["score"].corr(courses["age"])
print(f"{tenured['female']:.3f}; {tenured['male']:.3f}; {correlation:.4f}")
