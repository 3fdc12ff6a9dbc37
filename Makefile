# Everything a user or a developer types. `make help` lists it.
.DEFAULT_GOAL := help
.PHONY: help demo check test lock docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: ## the main job: five agents on twenty tasks of the built-in suite, no key needed
	@scripts/prepare run
	@.venv/bin/benchwright demo

check: ## style, types, floors, docs
	@scripts/prepare dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo
	PATH=.venv/bin:$$PATH .venv/bin/cog --check -r README.md docs/*.md

test: ## every test
	@scripts/prepare dev
	.venv/bin/pytest

docs: ## write the generated parts of docs/ again
	@scripts/prepare dev
	PATH=.venv/bin:$$PATH .venv/bin/cog -r README.md docs/*.md

lock: ## write locks/ again from pyproject.toml
	.venv/bin/uv pip compile -q pyproject.toml --extra lake --universal --python-version 3.11 --generate-hashes --no-header -o locks/run.lock
	.venv/bin/uv pip compile -q pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-header -o locks/dev.lock

clean: ## remove the environment and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
