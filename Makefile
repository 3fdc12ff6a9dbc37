# Everything a user or a developer types. `make help` lists it.
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE  # where it is set, every start compiles every module anew
.PHONY: help demo check test chaos fuzz ratios bare pythons lock docs site clean

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
	PATH=.venv/bin:$$PATH .venv/bin/cog --check --diff README.md docs/*.md

test: ## every test; up to three that failed are tried once more, alone, and named
	@scripts/prepare dev
	scripts/test -n 2 --dist loadfile --no-loadscope-reorder

ROUNDS = 20
chaos: ## kills, full disks, damaged files, odd models: each test of what breaks, ROUNDS times over
	@scripts/prepare dev
	.venv/bin/pytest -m chaos --rounds $(ROUNDS)

FUZZ_SECONDS = 900
FUZZ = --seconds $(FUZZ_SECONDS)
fuzz: ## the parsers of agents' files, 15 minutes each (FUZZ_SECONDS=60: a minute; FUZZ='--runs 1500': the same inputs each time); what is found stays in ~/.cache
	@scripts/prepare dev
	.venv/bin/python tests/fuzz/run.py $(FUZZ)

RATIOS = start,profile,table,sampling,synonyms,cover
ratios: ## what people would use instead, beside ours; fails where a ratio fell below 60 % of the recorded one
	@scripts/prepare dev
	.venv/bin/python benchmarks/ratios.py --only $(RATIOS) --check

bare: ## what a newcomer does, on a Debian that holds nothing else; needs root, debootstrap, a mirror and ten minutes
	scripts/try-bare

pythons: ## every test under Python 3.12 and 3.13, where they are found
	scripts/try-python -- -n 2 --dist loadfile --no-loadscope-reorder

docs: ## write the generated parts of docs/ again
	@scripts/prepare dev
	PATH=.venv/bin:$$PATH .venv/bin/cog -r README.md docs/*.md

site: ## the documentation site in site/, built strictly; site/index.html opens without a server, but for its search
	@scripts/prepare dev
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

compile = .venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header
lock: ## write locks/ again from pyproject.toml
	@scripts/prepare dev
	echo 'uv>=0.8,<1' | $(compile) - -o locks/uv.lock
	$(compile) pyproject.toml --extra lake --extra plots -o locks/run.lock
	$(compile) pyproject.toml --all-extras -o locks/dev.lock
	printf 'cyclonedx-bom>=7,<8\nhatchling>=1.25,<2\npip-audit>=2.9,<3\n' | $(compile) - -o locks/release.lock

clean: ## remove the environment and caches
	rm -rf site .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
