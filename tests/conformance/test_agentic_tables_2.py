"""AgenticDataBench's published scores of tables, in a third of the domains: one file of three, so that they can run side by side."""

import pytest


@pytest.mark.slow
@pytest.mark.timeout(1200)  # making the files takes nearly half of it
def test_every_table_has_the_published_score_or_raises_the_published_error(differing_tables):
    assert differing_tables("healthcare", "loan_model", "loan_risk", "marketing") == (883, [])
