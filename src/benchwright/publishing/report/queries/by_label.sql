-- Wilson's interval: 1.959964 is the normal quantile of 97.5 %.
with per_task as (
  select run, cell, task_id, avg(coalesce(value, 0)) as value
  from 'runs/scores.parquet' where name = '$mode' group by all
  having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
), asked as (
  select labels.name as label, count(distinct task_id) as n_tasks
  from 'runs/labels.parquet' as labels semi join (from 'runs/scores.parquet' where name = '$mode') using (task_id)
  where kind = '$kind' group by all
), means as (
  select run, cell, labels.name as label, any_value(n_tasks) as n_tasks, avg(value) as mean, count(*) as tasks,
    1.959963984540054 ^ 2 / count(*) as z2
  from per_task join 'runs/labels.parquet' as labels using (task_id) join asked on asked.label = labels.name
  where kind = '$kind' group by all
), reach as (
  select *, (mean + z2 / 2) / (1 + z2) as middle, sqrt(z2 * (mean * (1 - mean) + z2 / 4)) / (1 + z2) as half from means
)
select run, cell, label, n_tasks, mean, greatest(0, middle - half) as low, least(1, middle + half) as high, tasks
from reach;
