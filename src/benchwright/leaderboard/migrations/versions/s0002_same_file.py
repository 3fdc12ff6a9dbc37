"""The digest of the submission alone, by which the same file is known when it comes again."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of entries that are there it is not known."""
    op.add_column("entries", sa.Column("submission", sa.String(64), nullable=False, server_default=""))
