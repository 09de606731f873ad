# Praxis: one static binary. "make demo" needs Go and nothing else.

export CGO_ENABLED := 0

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
LDFLAGS := -s -w -X main.version=$(VERSION)

# The detector of data races needs cgo, and the sandbox needs a static binary:
# packages that start sandboxes are left out. So are those without goroutines, in
# which there can be no race: plans, schemas, texts. What only takes long there is
# left to "make nightly" (RACEFLAGS=).
NO_RACE := praxis/(cmd/praxis|internal/(sandbox/gvisor|test/battery|test/archtest|demo|bench|plan|agent/grounding|record/report|record/price|safetext|tool/pystub|tool/search|tool/openapi))
RACEFLAGS ?= -short

.PHONY: all build format vet test race lint bench demo nightly clean

all: build

build:
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/praxis ./cmd/praxis

format:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

vet:
	go vet ./...

test: format vet
	go test -timeout 20m ./...

race:
	CGO_ENABLED=1 go test -race $(RACEFLAGS) $$(go list ./... | grep -Ev '^($(NO_RACE))(/|$$)')

# The import rules and the budgets of size are a test.
lint: format vet
	go mod tidy -diff
	go test -count 1 ./internal/test/archtest
	go tool staticcheck ./...

bench: build
	bin/praxis bench

demo: build
	bin/praxis demo

# Every fuzz target for a while, longer than a person waits. What links gVisor in
# cannot be built for fuzzing (the instrumentation overflows its functions without
# a stack check): of those packages the seeds alone are run, by "make test".
FUZZTIME ?= 5m
nightly: test
	$(MAKE) race RACEFLAGS=
	go test ./internal/test/battery -run TestKilledWhileSaving -timeout 3h -args -kills 300
	go test ./internal/plan/syntax -run 'TestFiles|TestChanged' -timeout 1h -args -all
	go test ./internal/plan/python/regex -run Generated -timeout 1h -regex.generated 100000
	go test ./internal/plan/python/pytext -timeout 1h -args -cases 20000
	go test ./internal/plan/check -run TestSound -timeout 2h -args -programs 100000
	go test ./internal/test/battery/plans -run TestDiffer -timeout 2h -args -programs 100000
	@for pkg in $$(go list ./...); do \
		dir=$$(go list -f '{{.Dir}}' $$pkg); \
		fuzz=$$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); \
		if [ -n "$$fuzz" ] && go list -test -deps $$pkg | grep -q '^gvisor.dev/gvisor/'; then \
			echo "== $$pkg: left out, it links gVisor in:" $$fuzz; \
			continue; \
		fi; \
		for f in $$fuzz; do \
			echo "== $$pkg $$f"; \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

clean:
	rm -rf bin
