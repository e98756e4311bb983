# `make` lists the targets. Everything that needs GDAL goes through `deps`, which installs what is missing.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Where scripts/install-deps.sh had to unpack GDAL inside the project, it wrote this; every bash below reads it first.
export BASH_ENV := $(CURDIR)/.deps/env

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

COUNT ?= 10
BENCH ?= .
FUZZTIME ?= 30s
TREES ?= 200000
PEERS ?= Peer

# One test binary may take this long before it is stopped with every goroutine's stack.
TIMEOUT ?= 8m

# Packages that share state between goroutines, tested once more under the race detector.
RACE_PACKAGES := $(patsubst %,./%/...,$(wildcard ast rewrite rules eval gdalio))

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: build ## Rewrite a tree, show it before and after, and paint it
	@scripts/demo.sh

.PHONY: test
test: deps ## Run every test, also under the race detector where goroutines meet
	@scripts/each-module.sh go test -timeout $(TIMEOUT) ./...
	@if [[ $$(go env CGO_ENABLED) == 1 && -n "$(RACE_PACKAGES)" ]]; then \
		echo '==> .: go test -race -short $(RACE_PACKAGES)'; \
		go test -race -short -timeout $(TIMEOUT) $(RACE_PACKAGES); \
	fi

.PHONY: build
build: deps ## Build bin/rewarp
	@mkdir -p bin
	go build -o bin/rewarp ./cmd/rewarp

.PHONY: lint
lint: deps ## Check formatting, vet and staticcheck, in nested modules too
	@unformatted=$$(scripts/list-modules.sh --go-files | xargs -r -d '\n' gofmt -l); \
	if [[ -n $$unformatted ]]; then \
		printf 'not formatted, run gofmt -w on:\n%s\n' "$$unformatted" >&2; exit 1; \
	fi
	@scripts/each-module.sh go vet -tags peers ./...
	@scripts/each-module.sh go run $(STATICCHECK) ./...
	@if command -v shellcheck >/dev/null; then echo '==> shellcheck'; shellcheck .ci/run scripts/*.sh; fi

.PHONY: bench
bench: deps ## Run the benchmarks COUNT times (BENCH selects), in the form that benchstat reads
	@go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 0 ./...

# The Python that the peer tests run.
bench-peers oracle-peers: export REWARP_PEERS_PYTHON ?= $(CURDIR)/.deps/peers/bin/python

.PHONY: bench-peers
bench-peers: build ## Measure every workload on every peer, into docs/benchmarks.md (QUICK=1, ONLY=REGEXP, TORCH=1)
	@scripts/install-peers.sh bench
	@cd bench && go build -o ../bin/peers ./cmd/peers
	@bin/peers -root . $(if $(QUICK),-quick) $(if $(ONLY),-only '$(ONLY)')

.PHONY: oracle-peers
oracle-peers: deps ## Compare values with gdalwarp, OpenCV and SciPy
	@scripts/install-peers.sh
	@scripts/each-module.sh go test -tags peers -run '$(PEERS)' -timeout 30m ./...

.PHONY: check
check: build ## Rewrite and evaluate TREES random trees and compare with the reference
	bin/rewarp check --trees $(TREES)

.PHONY: trust
trust: build ## Check TREES random trees and write docs/trust.md
	@mkdir -p .deps
	bin/rewarp check --trees $(TREES) --json > .deps/check.json || true
	go run ./internal/trust -check .deps/check.json -o docs/trust.md

.PHONY: fuzz
fuzz: deps ## Run every fuzz target for FUZZTIME
	@scripts/each-module.sh "$(CURDIR)/scripts/fuzz.sh" $(FUZZTIME)

.PHONY: docs
docs: deps ## Regenerate the generated pages of docs/
	go generate -run 'docs/' ./...

.PHONY: man
man: build ## Write the manual pages to bin/man1
	bin/rewarp man bin/man1

.PHONY: deps
deps: ## Install libgdal-dev, gdal-bin and pkg-config where they are missing
	@scripts/install-deps.sh

.PHONY: browser-test
browser-test: build ## Step through explain's page in headless Chromium, which is installed where it is missing
	@scripts/install-chromium.sh
	cd cmd/rewarp/browsertest && go test -tags browser -count 1 -timeout $(TIMEOUT) ./...

.PHONY: clean
clean: ## Remove what the other targets built, but not the packages in .deps/
	rm -rf bin demo
