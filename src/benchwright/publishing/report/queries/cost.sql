-- Means are over attempts that were carried through: not those that the model or the sandbox broke.
with attempts as (
  select *, not (ending = 'broke' and "which" in ('model', 'sandbox')) as done from 'runs/attempts.parquet'
), verdicts as (
  select run, cell, task_id, value, bool_and(value is null and split_part(reason, ':', 1) = 'suite')
    over (partition by run, cell, task_id) as left_out
  from 'runs/scores.parquet' where name = '$mode'
), right_answers as (
  select run, cell, count(*) filter (value = 1) as "right" from verdicts where not left_out group by all
), times as (
  select run, cell, median(wall_seconds) as median_seconds
  from attempts semi join (from verdicts where not left_out) using (run, cell, task_id) group by all
), told as (
  select run, cell, sum(uncounted_calls) filter (done) = 0 as tokens, count(cost_usd) = count(*) as dollars,
    count(cost_usd) filter (done) = count(*) filter (done) as each_dollars
  from attempts group by all
)
select run, cell,
  avg(steps) filter (done) as steps,
  sum(successful_steps) filter (done) / sum(steps) filter (done and successful_steps is not null) as successful_steps,
  avg((ending = 'answered')::int) filter (done) as finished,
  any_value(median_seconds) as median_seconds,
  if(any_value(tokens), avg(input_tokens) filter (done), null) as input_tokens,
  if(any_value(tokens), avg(cache_write_tokens) filter (done), null) as cache_write_tokens,
  if(any_value(tokens), avg(cache_read_tokens) filter (done), null) as cache_read_tokens,
  if(any_value(tokens), avg(output_tokens) filter (done), null) as output_tokens,
  if(any_value(tokens), avg(reasoning_tokens) filter (done), null) as reasoning_tokens,
  if(any_value(each_dollars), avg(cost_usd) filter (done), null) as cost_usd,
  if(any_value(dollars), sum(cost_usd), null) as total_usd,
  coalesce(any_value(right_answers."right"), 0) as "right",
  if(any_value(dollars), sum(cost_usd), null) / nullif(any_value(right_answers."right"), 0) as usd_per_right
from (select distinct run, cell from verdicts) left join attempts using (run, cell) left join told using (run, cell)
  left join right_answers using (run, cell) left join times using (run, cell)
group by run, cell;
