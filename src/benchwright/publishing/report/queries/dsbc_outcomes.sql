-- `outcome` is `benchwright.analysis.dsbc.frame.outcome_of` each attempt.
select approach, outcome, count(*) as attempts from 'runs/dsbc_attempts.parquet' group by all;
