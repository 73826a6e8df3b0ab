# A fresh clone needs make and python3; every target sets up what it uses.
# Set-up speaks on stderr only: stdout belongs to the program that was asked for.

UV_VERSION := 0.13.9
UV := $(or $(shell command -v uv 2>/dev/null),.uv/bin/uv)
READY := .venv/.ready
BUILD_PYTHON := .uv/build/bin/python3.13
BUILD_READY := .uv/build/.ready
EMULATOR_READY := .uv/emulator/.ready
CHECKOV := checkov==3.3.30
SERVERLESS_RULES := cfn-lint-serverless==0.3.6
CFN_LINT := cfn-lint==1.58.0
REQUIREMENTS := layers/dependencies/requirements.txt

AWS_SERVICES := dynamodb secretsmanager sqs events
# What the SDKs bring along for ways in that are not used here: Google's for service accounts (its client takes the key of
# the secret), and their second HTTP client.
NEVER_IMPORTED := cffi charset-normalizer cryptography pyasn1 pyasn1-modules pycparser requests

EVENT ?= events/ask.json
PORT ?= 3000
SLOTS ?= 4
EXAMPLES ?= 500
QUICK ?=
PEERS ?=
PHASES ?=
TESTS ?=
BUILD_IN ?= .
BUILD_OPTIONS ?=
ARCHITECTURE ?=
# Many tests wait for processes they have started, so there are more of them at once than there are processors; a few
# are sooner through without.
WORKERS := $(if $(TESTS),0,3)

SAM := SAM_CLI_TELEMETRY=0 "$(CURDIR)/.venv/bin/sam"
PYTHON_HERE := PYTHONPATH=events:layers/rondas:functions/chat
# The program takes the place of the shell, so that Ctrl-C and SIGTERM reach it and nothing stands between.
LOCAL := exec env $(PYTHON_HERE) .venv/bin/python -m

MAKEFLAGS += --no-print-directory # a test may run make, whose own lines would stand in the program's output
.NOTPARALLEL:
.PHONY: help setup run chat serve token test unit lint format typecheck validate audit fuzz advisories emulator bench build deploy
.PHONY: openapi requirements clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## everything the other targets need

# ── local: the program and nothing else on stdout ──

# What a person gives goes through the environment: a shell would take quotes in it apart.
run: export EVENT := $(EVENT)
run: $(READY) ## one message through the chat function (EVENT=events/ask.json)
	@$(LOCAL) local.run "$$EVENT"

chat: $(READY) ## a conversation in the terminal
	@$(LOCAL) local.chat

serve: $(READY) ## the HTTP API on 127.0.0.1 (PORT=3000 SLOTS=4)
	@$(LOCAL) local.serve --port "$(PORT)" --slots "$(SLOTS)"

token: export SUB := $(SUB)
token: $(READY) ## a bearer token for the local API (SUB=somebody)
	@$(LOCAL) local.token

# ── checks: the quick ones first, pytest and its summary last ──

test: lint typecheck validate unit ## everything that passes or fails

unit: $(READY) ## pytest alone (TESTS=tests/unit/coach)
	.venv/bin/pytest -n $(WORKERS) --dist loadfile $(TESTS)

lint: $(READY) ## style, layout and who may import whom
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	$(PYTHON_HERE) .venv/bin/lint-imports

format: $(READY) ## puts the code into shape
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

typecheck: $(READY) ## pyright
	.venv/bin/pyright

validate: $(READY) ## template.yaml
	$(SAM) validate --lint

# Each in an environment of its own, made for the moment: their requirements get along with nobody's.
audit: $(READY) ## template.yaml under the rules of checkov and cfn-lint-serverless
	$(UV) tool run --quiet --isolated --python .venv/bin/python --from "$(CHECKOV)" checkov --config-file .checkov.yaml
	$(UV) tool run --quiet --isolated --python .venv/bin/python --from "$(CFN_LINT)" --with "$(SERVERLESS_RULES)" \
		cfn-lint --append-rules cfn_lint_serverless.rules --template template.yaml

# Tools of these two have environments of their own, locked like everything else. Neither is part of `make test`: one takes
# minutes, and the other asks a database of advisories that need not be reachable.
fuzz: $(READY) ## generated requests to the local API, some thousands (EXAMPLES=500 for each route)
	@$(PYTHON_HERE) UV="$(UV)" .venv/bin/python -m local.fuzz "$(EXAMPLES)"

advisories: $(READY) ## the deployed packages against the known vulnerabilities
	$(UV) run --quiet --isolated --frozen --no-default-groups --only-group audit \
		pip-audit --strict --disable-pip --require-hashes -r $(REQUIREMENTS)

emulator: $(EMULATOR_READY) ## the emulator of AWS that the tests deploy into, in an environment of its own

# The peers have environments of their own, below .rondas/bench, from the requirements in tests/bench/peers.
bench: export PEERS := $(PEERS)
bench: export PHASES := $(PHASES)
bench: $(READY) ## Rondas and its peers side by side, a quarter of an hour (QUICK=1 PEERS=rondas,raw_sdk PHASES=warm,cold)
	@PYTHONPATH=tests:events:layers/rondas:functions/chat UV="$(UV)" .venv/bin/python -m bench --peers "$$PEERS" --phases "$$PHASES" \
		$(if $(QUICK),--quick)

# ── AWS ──

# What is locked is the whole of it, so pip resolves nothing. The requirements are given as constraints too: for wheels of
# another architecture sam asks pip once more, package by package and without the file, and only constraints carry the
# locked hashes there. Then, in what sam has made:
# - of botocore's descriptions of 400 services, those of the ones that are called stay;
# - bytecode is shipped because nothing can be written beside a layer: without it each cold start compiles thousands of
#   modules (twice the import time). It is not checked against its source and names the paths in the Lambda;
# - no file has a time of its own: the same sources and the same lock make the same artefact, byte for byte.
build: $(READY) $(BUILD_READY) ## what is deployed, in .aws-sam/build (ARCHITECTURE=x86_64 for another processor)
	cd "$(BUILD_IN)" && PATH="$(CURDIR)/.uv/build/bin:$$PATH" PIP_NO_DEPS=1 PIP_CONSTRAINT="$(CURDIR)/$(REQUIREMENTS)" \
		$(SAM) build --template-file "$(CURDIR)/template.yaml" $(BUILD_OPTIONS) $(PARAMETERS)
	@cd "$(BUILD_IN)/.aws-sam/build/DependenciesLayer/python/botocore/data" \
		&& find . -mindepth 1 -maxdepth 1 -type d $(patsubst %,! -name %,$(AWS_SERVICES)) -exec rm -rf {} +
	@cd "$(BUILD_IN)/.aws-sam/build" && for folder in *Function *Layer; do \
		case $$folder in *Layer) home=/opt ;; *) home=/var/task ;; esac; \
		"$(CURDIR)/$(BUILD_PYTHON)" -m compileall -q -j 0 --invalidation-mode unchecked-hash \
			-s $$folder -p $$home $$folder || exit 1; \
	done
	@cd "$(BUILD_IN)/.aws-sam/build" && find *Function *Layer -exec touch -t 198001010000 {} + \
		&& for folder in *Function *Layer; do echo "$$folder $$(find $$folder -type f -exec cat {} + | wc -c)"; done \
		| awk '{ printf "%-20s %6.1f MB\n", $$1, $$2 / 1e6; all += $$2 } END { printf "%-20s %6.1f of 250 MB\n", "unzipped", all / 1e6 }'
	@$(if $(filter deploy,$(MAKECMDGOALS)),,echo 'next: make deploy') # sam's own hints name a sam that is not on the PATH

deploy: build ## asks for the parameters, shows the changes, deploys
	$(SAM) deploy --guided $(PARAMETERS)

PARAMETERS = $(if $(ARCHITECTURE),--parameter-overrides Architecture=$(ARCHITECTURE))

openapi: $(READY) ## functions/openapi.json from the routes
	@document=$$(PYTHONPATH=events:layers/rondas .venv/bin/python -m local.openapi) \
		&& printf '%s\n' "$$document" > functions/openapi.json

requirements: $(READY) ## layers/dependencies/requirements.txt from uv.lock
	@lines=$$($(UV) export --frozen --quiet --no-dev --no-emit-project --no-annotate --no-header \
			$(patsubst %,--no-emit-package %,$(NEVER_IMPORTED))) \
		&& printf '%s\n' '# Generated from uv.lock by `make requirements`.' "$$lines" > $(REQUIREMENTS)

clean: ## everything that make has made
	rm -rf .venv .uv .aws-sam .rondas .pytest_cache .ruff_cache .hypothesis .schemathesis .import_linter_cache
	find events functions layers tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ── set-up ──

$(READY): pyproject.toml uv.lock .python-version | $(UV)
	@[ -d .venv ] || echo 'Setting up .venv (once; about 600 MB)…' >&2
	@[ -t 2 ] || quiet=--quiet; $(UV) sync --frozen $$quiet >&2
	@touch $@

.uv/bin/uv:
	@python3 -m venv .uv >&2 || { echo 'Needs uv (https://docs.astral.sh/uv) or the venv module of python3.' >&2; exit 1; }
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) >&2

$(EMULATOR_READY): pyproject.toml uv.lock .python-version | $(UV)
	@UV_PROJECT_ENVIRONMENT=.uv/emulator $(UV) sync --quiet --frozen --only-group emulator >&2
	@touch $@

# sam wants a Python of the functions' version with pip; the one in .venv has none.
$(BUILD_READY): .python-version | $(UV)
	@$(UV) venv --quiet --clear --seed .uv/build >&2
	@touch $@
