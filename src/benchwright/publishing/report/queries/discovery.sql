with files as (
  select run, cell, basis, count(*) as required, avg(listed::int) as listed, avg(opened::int) as opened,
    avg(content_read::int) as content_read, median(listed_step) as first_listed, median(opened_step) as first_opened,
    median(used_step) as last_used, count(*) filter (instead_role = 'copy') as copy,
    count(*) filter (instead_role = 'same_name') as same_name, count(*) filter (instead_role = 'similar') as "similar"
  from 'runs/required.parquet' group by all
), attempts as (
  select run, cell, basis, count(*) as attempts, avg(complete::int) as complete from (
    select run, cell, basis, task_id, epoch, bool_and(opened) as complete from 'runs/required.parquet' group by all
  ) group by all
), opened as (
  select run, cell, basis, count(*) filter (role <> 'required') as wasted, count(*) as reads
  from 'runs/reads.parquet' group by all
)
select run, cell, basis, attempts, required, listed, files.opened, content_read, complete, first_listed, first_opened, last_used,
  wasted / nullif(reads, 0) as wasted_share, coalesce(wasted, 0) / attempts as wasted_per_attempt, copy, same_name, "similar"
from files join attempts using (run, cell, basis) left join opened as seen using (run, cell, basis);
