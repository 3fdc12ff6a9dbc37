with per_task as (
  select run, cell, task_id, avg(coalesce(value, 0)) as value
  from 'runs/scores.parquet' where name = '$mode' group by all
  having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
)
select run, cell, skill, avg(value) as mean, count(*) as n
from per_task join 'runs/skills.parquet' using (task_id) group by all having n >= 3;
