select skill, avg(mean) as mean, avg(mean) * (1 - exp(-max(n) / 40)) as weighted, max(n) as n
from 'skill_scores.parquet' group by skill
having count(*) = (select count(*) from (select distinct run, cell from 'accuracy.parquet'));
