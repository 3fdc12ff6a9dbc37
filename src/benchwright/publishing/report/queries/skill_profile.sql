select run, cell, category as label, avg(mean) as mean, count(*) as skills
from 'skill_scores.parquet' join (
  select skill, last(category) as category from 'runs/skills.parquet' where category <> '' group by skill
) using (skill) group by all;
