# Each line that starts with a target and ends in a ## comment is in `make help`.

# What makes decisions. Its tests also run under the race detector.
CORE := . ./internal/algorithm/... ./internal/memory/... ./storetest/... ./policy/... ./clientip/... ./failover ./httplimit/... ./grpclimit/... ./internal/credential/...

STATICCHECK := go tool -modfile=tools/go.mod staticcheck

.DEFAULT_GOAL := help
.PHONY: help run build test check lint race bench bench-proxy bench-peers bench-growth fuzz soak

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## start the daemon from source, in memory, with the three default layers
	@exec bin/weir serve $(ARGS)

build: ## bin/weir
	go build -trimpath -o bin/weir ./cmd/weir

test: ## all tests of all modules, those of the core under the race detector too, after installing what they need
	@scripts/install-test-deps test
	@scripts/install-test-deps check
	@scripts/test
	go test -race $(CORE)

check: lint race ## gofmt, vet, staticcheck, the arrows between packages, the race detector

lint:
	@scripts/gofmt
	go vet ./...
	$(STATICCHECK) ./...
	go test -run '^TestArrows' .

race:
	@scripts/install-test-deps check
	go test -race $(CORE)

bench: ## every benchmark, COUNT=8 rounds, with benchstat's summary (BENCH=regexp); then weir replay beside awk and goaccess
	@scripts/install-test-deps bench
	@scripts/bench
	@scripts/bench-replay

bench-proxy: ## weir proxy beside httputil.ReverseProxy, Caddy and nginx, 8 rounds in turn; the result goes to bench/results
	@scripts/bench-proxy

bench-peers: ## weir beside other rate limiters, 8 rounds in turn; the result goes to bench/results and docs/performance.md
	@scripts/bench-peers

bench-growth: ## how cost grows with keys, layers, logs, callers, processes and masters; the result goes to bench/results and docs/scaling.md
	@scripts/bench-growth

fuzz: ## every fuzz target for FUZZTIME=30s
	@scripts/fuzz $(TARGET)

soak: ## the tests of the core and of the stores over and over for SOAKTIME=600 seconds, racing, with new seeds and long outages
	@scripts/install-test-deps test
	@scripts/install-test-deps check
	@scripts/soak $(CORE) ./redisstore
