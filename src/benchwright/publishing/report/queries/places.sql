-- Over tasks that every agent has a verdict on.
with per_task as (
  select run, cell, task_id, avg(coalesce(value, 0)) as value
  from 'runs/scores.parquet' where name = '$mode' group by all
  having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
), common as (
  select task_id from per_task group by task_id
  having count(*) = (select count(*) from (select distinct run, cell from per_task))
), means as (
  select run, cell, avg(value) as mean, count(*) as tasks from per_task semi join common using (task_id) group by all
)
select run, cell, mean, tasks, rank() over (order by round(mean, 9) desc) as place from means;
