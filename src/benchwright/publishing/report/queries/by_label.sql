with per_task as (
  select run, cell, task_id, avg(coalesce(value, 0)) as value
  from 'runs/scores.parquet' where name = '$mode' group by all
  having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
), asked as (
  select labels.name as label, count(distinct task_id) as n_tasks
  from 'runs/labels.parquet' as labels semi join (from 'runs/scores.parquet' where name = '$mode') using (task_id)
  where kind = '$kind' group by all
)
select run, cell, label, any_value(n_tasks) as n_tasks, avg(value) as mean, count(*) as tasks
from per_task join 'runs/labels.parquet' as labels using (task_id) join asked on asked.label = labels.name
where kind = '$kind' group by all;
