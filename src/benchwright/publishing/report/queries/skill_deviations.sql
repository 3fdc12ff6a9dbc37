select one.run, one.cell, one.skill, any_value(one.mean - rest.mean) * (1 - exp(-any_value(one.n) / 40)) as deviation
from 'skill_scores.parquet' as one join lateral (
  select avg(mean) as mean from 'skill_scores.parquet' as other
  where other.skill = one.skill and (other.run, other.cell) <> (one.run, one.cell)
) as rest on true where rest.mean is not null group by all;
