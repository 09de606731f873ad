# Praxis: one static binary. "make demo" needs Go and nothing else.

export CGO_ENABLED := 0

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
LDFLAGS := -s -w -X main.version=$(VERSION)

# The detector of data races needs cgo, and the sandbox needs a static binary:
# packages that start sandboxes are left out.
NO_RACE := praxis/cmd/praxis|praxis/internal/(sandbox/gvisor|session|battery|app|bench)

.PHONY: all build test race lint bench demo nightly clean

all: build

build:
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/praxis ./cmd/praxis

test:
	go test ./...

race:
	CGO_ENABLED=1 go test -race $$(go list ./... | grep -Ev '^($(NO_RACE))(/|$$)')

lint:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...

bench: build
	bin/praxis bench

demo: build
	bin/praxis demo

# Every fuzz target for a while, longer than a person waits.
FUZZTIME ?= 5m
nightly: test race
	@for pkg in $$(go list ./...); do \
		dir=$$(go list -f '{{.Dir}}' $$pkg); \
		for f in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); do \
			echo "== $$pkg $$f"; \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

clean:
	rm -rf bin
