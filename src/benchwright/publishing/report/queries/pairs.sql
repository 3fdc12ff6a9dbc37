-- Differences are first minus second; right is a value of 1.
with per_task as (
  select run, cell, task_id, avg(coalesce(value, 0)) as value
  from 'runs/scores.parquet' where name = '$mode' group by all
  having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
)
select one.run as first_run, one.cell as first_cell, two.run as second_run, two.cell as second_cell,
  avg(one.value - two.value) as difference, count(*) as tasks,
  count(*) filter (one.value = 1 and two.value <> 1) as first_only,
  count(*) filter (two.value = 1 and one.value <> 1) as second_only
from per_task as one join per_task as two using (task_id) group by all;
