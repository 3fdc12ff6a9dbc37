"""The first tables, and the triggers that keep the audit log as it was written."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KEEP_POSTGRESQL = (
    """CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$""",
    "CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_kept()",
    "CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_is_kept()",
)
_KEEP_SQLITE = tuple(
    f"CREATE TRIGGER audit_keeps_{verb.lower()} BEFORE {verb} ON audit "
    "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
    for verb in ("UPDATE", "DELETE")
)


def upgrade() -> None:
    """Make the tables."""
    _accounts()
    _entries()
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("who", sa.String(80), nullable=False),
        sa.Column("did", sa.String(40), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    for statement in _KEEP_POSTGRESQL if op.get_bind().dialect.name == "postgresql" else _KEEP_SQLITE:
        op.execute(statement)


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("token_id", sa.String(16), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name", name="uq_accounts_name"),
        sa.UniqueConstraint("token_id", name="uq_accounts_token_id"),
    )
    op.create_table(
        "sign_ins",
        sa.Column("cookie_hash", sa.String(64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("cookie_hash", name="pk_sign_ins"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_sign_ins_account_id_accounts"),
    )
    op.create_index("ix_sign_ins_account_id", "sign_ins", ["account_id"])


def _entries() -> None:
    op.create_table(
        "entries",
        sa.Column("id", sa.String(22), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("received", sa.Double(), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("claim", sa.String(22), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        *(sa.Column(name, sa.String(200), nullable=False) for name in ("method", "model", "organization")),
        sa.Column("date", sa.String(40), nullable=False),
        sa.Column("anonymous", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Double(), nullable=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("released", "exact", "notes", "trajectories")),
        sa.PrimaryKeyConstraint("id", name="pk_entries"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_entries_account_id_accounts"),
    )
    op.create_index("ix_entries_account_id", "entries", ["account_id"])
    op.create_index("ix_entries_status_received", "entries", ["status", "received"])
