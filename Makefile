# Praxis: one static binary. "make demo" needs Go and nothing else.

export CGO_ENABLED := 0

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
LDFLAGS := -s -w -X main.version=$(VERSION)

# The detector of data races needs cgo, and the sandbox needs a static binary:
# packages that start sandboxes are left out. So are those without goroutines, in
# which there can be no race: plans, schemas, texts. What only takes long there is
# left to "make nightly" (RACEFLAGS=), and so are the packages for which all of
# gVisor would be compiled once more, or that are slow with it (BY_NIGHT=).
NO_RACE := praxis/(cmd/praxis|internal/(sandbox/gvisor|test|language|demo|bench|plan|agent/grounding|record/report|record/price|safetext|tool/pystub|tool/search|tool/openapi))
BY_NIGHT ?= |praxis/internal/(app|cli|server|guest|image|record/journal|agent|egress|store/files)
RACEFLAGS ?= -short

# What the binary carries: CPython, pip, and the root file system of sessions. A binary
# that the go command builds without them says so when it is to make an image.
ARCH := $(shell go env GOARCH)
EMBEDDED := internal/image/embedded
CARRIED := $(EMBEDDED)/archives/$(ARCH)
ARCHIVES := $(addprefix $(CARRIED)/,python.tar.zst pip.tar.zst root.tar.zst)

.PHONY: all build format vet tidy staticcheck test test-bench renew clients programs carried race lint bench bench-rivals demo soak nightly e2b-matrix clean

all: build

build: carried
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/praxis ./cmd/praxis

$(ARCHIVES) &: go.mod $(CARRIED)/root.json $(wildcard $(EMBEDDED)/archive/*.go $(EMBEDDED)/pack/*.go)
	GOOS= GOARCH= go run ./$(EMBEDDED)/pack -arch $(ARCH) -o $(CARRIED)

# The programs that run inside of sandboxes and around them. The go command knows whether
# they changed.
PROGRAMS := internal/programs
programs:
	GOOS= GOARCH= go run ./$(PROGRAMS)/pack -arch $(ARCH) -o $(PROGRAMS)/archives/$(ARCH)

carried: $(ARCHIVES) programs

# The newest packages of the release of Debian that the root file system is made of.
renew:
	for arch in amd64 arm64; do go run ./$(EMBEDDED)/pack -renew -arch $$arch -o $(EMBEDDED)/archives/$$arch || exit 1; done

# The parts of the clients that follow from the server's OpenAPI document.
clients:
	go test -count 1 ./internal/server/sdk -run TestClientsAreFresh -args -update

format:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

vet:
	go vet ./...
	cd bench && go vet ./...

tidy:
	go mod tidy -diff
	cd bench && go mod tidy -diff

staticcheck:
	check=$$(go tool -n staticcheck) && $$check ./... && cd bench && $$check ./...

# All of vet's checks, of packages without tests, too: what "go test" runs by itself
# is a part of them, and would be another run.
TESTFLAGS ?=
test: carried format test-bench
	go test -vet=all -timeout 20m $(TESTFLAGS) ./...

# The module that measures Praxis beside others.
test-bench:
	cd bench && go test -short -timeout 10m ./...

race:
	CGO_ENABLED=1 go test -vet=off -race $(RACEFLAGS) $$(go list ./... | grep -Ev '^($(NO_RACE)$(BY_NIGHT))(/|$$)')

# The import rules and the budgets of size are a test.
lint: format vet tidy staticcheck
	go test -count 1 ./internal/test/archtest

bench: build
	bin/praxis bench

# What needs libraries that the product does not link: starlark-go beside plans,
# and the tokens that tools in code save.
bench-rivals:
	cd bench && go build -trimpath -o ../bin/bench-rivals .
	bin/bench-rivals plans
	bin/bench-rivals tokens

demo: build
	bin/praxis demo

# Long use with faults at random; what it does is in the package comment.
DURATION ?= 30m
SESSIONS ?= 64
SOAKFLAGS ?= $(if $(SEED),-seed $(SEED))
soak: build
	go build -trimpath -o bin/soak ./internal/test/soak
	bin/soak -praxis bin/praxis -duration $(DURATION) -sessions $(SESSIONS) $(SOAKFLAGS)

# All of what a commit takes a sample of, and every fuzz target for a while, longer
# than a person waits. What links gVisor in cannot be built for fuzzing (the
# instrumentation overflows its functions without a stack check): of those packages
# the seeds alone are run, by "make test". Inputs that are found are made smaller only a
# little: by default that takes up to a minute each, in which nothing new is tried.
FUZZTIME ?= 5m
nightly: test
	$(MAKE) race RACEFLAGS= BY_NIGHT=
	$(MAKE) soak DURATION=3m SESSIONS=32
	go test ./internal/test/battery -run TestKilledWhileSaving -timeout 3h -args -kills 300
	go test ./internal/test/battery -run TestManyLive -timeout 1h -args -sessions 64
	go test ./cmd/praxis -run TestAtOnce -timeout 1h -args -at-once 200
	go test ./cmd/praxis -run TestRepairs -timeout 2h -args -all-repairs
	go test ./cmd/praxis -run 'TestPackages|TestE2BMatrix|TestE2BDomain|TestE2BFrameworks' -timeout 3h -args -all-packages
	go test ./internal/server/mcp -run 'Conformance|Client' -timeout 1h -args -all-clients
	go test ./internal/test/battery -run 'TestProbes|TestJavaScriptProbes' -timeout 2h -args -longer 5 -all-probes
	go test ./internal/test/battery -run 'TestR$$' -timeout 1h -args -all-kernels
	go test ./internal/test/battery/builds -run TestBuildOnContainer -timeout 1h -args -all-builds
	go test ./internal/test/battery/scripts -run TestArrow -timeout 1h -args -damages 20000
	go test ./internal/sandbox/gvisor -run TestExam -timeout 1h -args -all
	go test ./internal/language/python -run TestInterruptPoints -timeout 1h -args -all
	go test ./internal/image -run TestKilledBuilder -timeout 1h -args -kills 50
	go test ./internal/server -run TestIdleFollowers -timeout 1h -args -followers 10000
	go test ./internal/store/files -run TestCrash -timeout 1h -args -all
	go test ./internal/record/journal -run 'TestEveryByte|TestCut' -timeout 1h -args -all
	cd bench && go test ./workflow -run TestBothWays -timeout 1h -args -all
	go test ./internal/plan/syntax -run 'TestFiles|TestChanged' -timeout 1h -args -all
	go test ./internal/plan/python/regex -timeout 2h -regex.generated 100000
	go test ./internal/plan/python/pytext -timeout 1h -args -cases 20000 -all
	go test ./internal/plan/policy -run TestJudgeIsSound -timeout 1h -args -rounds 20000
	go test ./internal/plan/vm -run TestRandomChanges -timeout 1h -args -programs 2000
	go test ./internal/plan/check -run TestSound -timeout 2h -args -programs 100000
	go test ./internal/test/battery/plans -run TestDiffer -timeout 2h -args -programs 100000
	go test ./internal/test/battery/worlds -timeout 5h -args -programs 100000 -every 50
	@for pkg in $$(go list ./...); do \
		dir=$$(go list -f '{{.Dir}}' $$pkg); \
		fuzz=$$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); \
		if [ -n "$$fuzz" ] && go list -test -deps $$pkg | grep -q '^gvisor.dev/gvisor/'; then \
			echo "== $$pkg: left out, it links gVisor in:" $$fuzz; \
			continue; \
		fi; \
		for f in $$fuzz; do \
			echo "== $$pkg $$f"; \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$pkg || exit 1; \
		done; \
	done

# What E2B's published clients can do here, as docs/e2b.md says it.
e2b-matrix: carried
	go test ./cmd/praxis -count 1 -run TestE2BMatrix -timeout 1h -args -all-packages -e2b-matrix

clean:
	rm -rf bin $(EMBEDDED)/archives/*/*.tar.zst $(PROGRAMS)/archives/*/praxis-* $(PROGRAMS)/archives/*/.built $(PROGRAMS)/archives/*/sources.sha256
