-- A task's value is the mean over its attempts; one without a verdict counts 0. Tasks that the suite itself leaves
-- without a verdict (all reasons begin with "suite") are in no denominator.
with verdicts as (
  select run, cell, task_id, coalesce(value, 0) as value, value is null as missing,
    value is null and split_part(reason, ':', 1) = 'suite' as impossible
  from 'runs/scores.parquet' where name = '$mode'
), per_task as (
  select run, cell, task_id, avg(value) as value, count(*) as planned, count(*) filter (missing) as unscored, bool_and(impossible) as impossible
  from verdicts group by all
), made as (
  select run, cell, count(*) as attempts, count(*) filter (ending = 'broke') as broken
  from 'runs/attempts.parquet' semi join (select * from per_task where not impossible) using (run, cell, task_id)
  group by all
), other as (
  select run, cell, avg(value) as other_mean from (
    select run, cell, task_id, avg(coalesce(value, 0)) as value
    from 'runs/scores.parquet' where name = '$other' group by all
    having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
  ) group by all
), found as (
  select run, cell, avg(value) as discovery from (
    select run, cell, task_id, avg(value) as value
    from 'runs/scores.parquet' where name = 'discovery' and value is not null group by all
  ) group by all
)
select run, cell, avg(value) filter (not impossible) as mean, count(*) filter (not impossible) as tasks,
  any_value(other_mean) as other_mean, any_value(discovery) as discovery,
  coalesce(sum(planned) filter (not impossible), 0) as planned, coalesce(any_value(attempts), 0) as attempts,
  coalesce(sum(planned - unscored) filter (not impossible), 0) as scored,
  coalesce(sum(unscored) filter (not impossible), 0) as unscored, coalesce(any_value(broken), 0) as broken,
  count(*) filter (impossible) as unscorable
from per_task left join made using (run, cell) left join other using (run, cell) left join found using (run, cell)
group by run, cell;
