"""What Alembic runs: the steps that a database lacks, on the connection that it is handed."""

from alembic import context

from benchwright.leaderboard.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    compare_type=True,
    render_as_batch=True,  # SQLite changes a table by copying it
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
