package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/image/embedded"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

//go:embed runpip.py
var runPipSource []byte

const (
	pipTimeout  = 30 * time.Minute
	maxPipLines = 400      // of progress, one call
	maxPipLog   = 16 << 20 // of pip's log that is read to explain a failure
	maxLayer    = 16 << 30 // bytes of wheels, or of what they unpack to
	maxQuote    = 400      // bytes of one line of pip's in an error
	killGrace   = 5 * time.Second
)

// pipEnv are the variables of the person that reach pip: where the index is,
// how to get there, and whom to trust. PIP_* other than these are dropped by runpip.py.
var pipEnv = []string{
	"HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "NETRC",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_TRUSTED_HOST",
	"PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES", "PIP_UPLOADED_PRIOR_TO",
}

// pipKey names the pip that this program carries and the program that runs it.
func pipKey() string {
	sum := sha256.Sum256(runPipSource)
	return embedded.Release + "-" + partRecipe + "-" + hex.EncodeToString(sum[:8])
}

// makePip returns the embedded pip and, beside it, the program that runs it.
func (s *Store) makePip(ctx context.Context, py interpreter, say progress) (part, error) {
	return s.makePart(ctx, kindPip, pipKey(), say, func(ctx context.Context, dir string) error {
		if err := s.needSpace(embedded.PipSpace + bytecodeSpace); err != nil {
			return err
		}
		say("unpacking pip (once)")
		tree := filepath.Join(dir, treeDir)
		if err := embedded.Pip(tree); err != nil {
			return cannotUnpack(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "runpip.py"), runPipSource, 0o644); err != nil {
			return fmt.Errorf("cannot unpack pip: %w", err)
		}
		if err := py.compileTree(ctx, tree, "/pip", false); err != nil {
			return err
		}
		if err := openUp(dir); err != nil {
			return fmt.Errorf("cannot unpack pip: %w", err)
		}
		return nil
	})
}

// pipCall is one run of pip in a staged folder.
type pipCall struct {
	py      interpreter
	pip     part
	target  target    // that the packages are for
	stage   string    // pip's temporary files and its log go here
	args    []string  // after "pip"
	offline bool      // no index and none of the person's settings
	wheels  string    // folder of wheels, called by their SHA-256, that need not be downloaded; "": none
	there   []Package // packages that the others must go together with
	say     progress
}

// run runs pip. When pip fails, the error is already explained.
func (c pipCall) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pipTimeout,
		fault.New(fault.Unavailable, "Try again, or ask for fewer packages.", "cannot install packages: it took longer than %s", pipTimeout))
	defer cancel()
	ctx, stop := watchSize(ctx, c.stage)
	defer stop()
	tmp := filepath.Join(c.stage, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return fmt.Errorf("cannot make a folder for pip: %w", err)
	}
	logFile := filepath.Join(c.stage, "pip.log")
	_ = os.Remove(logFile)
	env := []string{"TMPDIR=" + tmp}
	if c.offline {
		env = append(env, "PIP_CONFIG_FILE=/dev/null", "HOME="+tmp)
	} else {
		for _, name := range pipEnv {
			if value, ok := os.LookupEnv(name); ok && value != "" {
				env = append(env, name+"="+value)
			}
		}
	}
	args := []string{filepath.Join(c.pip.dir, "runpip.py"), c.pip.tree(), c.wheels, string(c.target.markers), c.args[0],
		"--no-input", "--no-color", "--progress-bar", "off", "--disable-pip-version-check", "--log", logFile}
	out := &pipOutput{say: c.say}
	err := c.py.run(ctx, pythonRun{
		args: append(args, c.args[1:]...), env: env, dir: c.stage, out: out,
	})
	out.flush()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	log, _ := readTail(logFile, maxPipLog)
	if fixed := explainFixed(c.there, c.target.session, out.tail()); fixed != nil {
		return fixed
	}
	return explainPip(err, c.target.version, out.tail(), string(log))
}

// watchSize cancels the context when dir grows over maxLayer: what an index
// sends is not bounded otherwise.
func watchSize(ctx context.Context, dir string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if dirSize(dir) > maxLayer {
				cancel(fault.New(fault.Exhausted, "Ask for fewer or smaller packages.",
					"cannot install packages: they are larger than %d GiB", maxLayer>>30))
				return
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

// dirSize adds up the files below dir; what vanishes meanwhile does not count.
func dirSize(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// pipOutput turns pip's lines into progress and keeps the last ones.
type pipOutput struct {
	say   progress
	line  []byte
	last  []string
	lines int
}

const (
	maxPipLine  = 4 << 10
	keepPipTail = 12
)

// Write takes a piece of pip's output.
func (o *pipOutput) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		piece := p
		if i >= 0 {
			piece = p[:i]
		}
		if space := maxPipLine - len(o.line); space > 0 {
			o.line = append(o.line, piece[:min(len(piece), space)]...)
		}
		if i < 0 {
			break
		}
		o.flush()
		p = p[i+1:]
	}
	return n, nil
}

// flush ends the line.
func (o *pipOutput) flush() {
	line := redact(strings.TrimSpace(strings.ToValidUTF8(string(o.line), "?")))
	o.line = o.line[:0]
	if line == "" {
		return
	}
	if len(o.last) == keepPipTail {
		o.last = slices.Delete(o.last, 0, 1)
	}
	o.last = append(o.last, line)
	if text := pipProgress(line); text != "" && o.lines < maxPipLines {
		o.lines++
		o.say(text)
	}
}

func (o *pipOutput) tail() string { return strings.Join(o.last, "\n") }

// pipProgress says what is worth showing of one line, or "".
func pipProgress(line string) string {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "Collecting":
		name, _, _ := strings.Cut(rest, " (from")
		return "resolving " + name
	case "Downloading", "Using":
		rest = strings.TrimPrefix(rest, "cached ")
		if file, size, ok := strings.Cut(rest, " ("); ok {
			return "downloading " + file[strings.LastIndexByte(file, '/')+1:] + " (" + size
		}
		return ""
	case "Installing":
		return "installing " + strings.TrimPrefix(rest, "collected packages: ")
	}
	return ""
}

// credentialRE finds the user part of a URL and tokens among its parameters.
var (
	credentialRE = lazyregexp.New(`(://)[^/\s@'"]*@`)
	tokenRE      = lazyregexp.New(`(?i)([?&][a-z0-9_.-]*(?:token|key|secret|password|passwd|sig|signature|auth)[a-z0-9_.-]*=)[^&\s'")]+`)
)

// redact takes credentials out of text from outside.
func redact(s string) string {
	return tokenRE.ReplaceAllString(credentialRE.ReplaceAllString(s, "${1}***@"), "${1}***")
}

// pipFailures are what pip's output and log say about why it failed, the most
// telling first. A group of the pattern is put into the message.
var (
	hashWrongRE    = lazyregexp.New(`THESE PACKAGES DO NOT MATCH THE HASHES`)
	hashNeededRE   = lazyregexp.New(`In --require-hashes mode, all requirements must have|Hashes are required in --require-hashes mode`)
	conflictRE     = lazyregexp.New(`ResolutionImpossible|conflicting dependencies`)
	noSpaceRE      = lazyregexp.New(`No space left on device|Errno 28|Disk quota exceeded`)
	missingRE      = lazyregexp.New(`(?:No matching distribution found for|Could not find a version that satisfies the requirement) ([^\s(]+)`)
	versionsRE     = lazyregexp.New(`\(from versions: ([^)]*)\)`)
	connectionRE   = lazyregexp.New(`Could not fetch URL \S+: (?:connection error|There was a problem confirming the ssl certificate)|Retrying \(Retry\(|NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|ProxyError|MaxRetryError|Read timed out`)
	serverErrorRE  = lazyregexp.New(`Could not fetch URL \S+: (5\d\d) |HTTP error (5\d\d)|too many (5\d\d) error responses`)
	certificateRE  = lazyregexp.New(`CERTIFICATE_VERIFY_FAILED|confirming the ssl certificate`)
	refusedRE      = lazyregexp.New(`Could not fetch URL \S+: (401|403|407) |HTTP error (401|403)|\b(401|403) Client Error`)
	skippedRE      = lazyregexp.New(`Skipping link: (?:none of the wheel's tags|No sources permitted|No binaries permitted|unsupported archive)`)
	requiresRE     = lazyregexp.New(`requires a different Python|Requires-Python|Link requires a different Python`)
	metadataRE     = lazyregexp.New(`has inconsistent|InvalidWheel|Wheel '\S+' located at \S+ is invalid|Invalid wheel|is not a supported wheel|BadZipFile`)
	configBrokenRE = lazyregexp.New(`pip's configuration cannot be read`)
)

// explainPip makes one fault of a failed run: cause is how the process ended,
// version that of the interpreter that the packages are for, out its last lines, log its log.
func explainPip(cause error, version, out, log string) error {
	all := out + "\n" + log
	missing := ""
	if m := missingRE.FindStringSubmatch(out); m != nil {
		missing = safetext.Clip(redact(m[1]), 80)
	}
	switch {
	case noSpaceRE.MatchString(all):
		return fault.New(fault.Exhausted, spaceRemedy, "cannot install packages: no space is left on the device")
	case configBrokenRE.MatchString(out):
		return fault.New(fault.Invalid, "Repair pip's configuration or set PIP_CONFIG_FILE=/dev/null.", "cannot install packages: %s", safetext.Clip(redact(lastLine(out)), maxQuote))
	case hashWrongRE.MatchString(out):
		return fault.New(fault.Conflict, "Check where the package comes from; if its publisher replaced it, correct the hash.",
			"cannot install packages: a package that the index sent does not match its hash: %s", hashDetail(out))
	case hashNeededRE.MatchString(out):
		return fault.New(fault.Invalid, "Give every package, those that others need included, as NAME==VERSION with --hash, or give no hash at all.",
			"cannot install packages: some requirements have hashes and others have none or no exact version")
	case conflictRE.MatchString(out):
		return fault.New(fault.Invalid, "Loosen the conditions on the versions.",
			"cannot install packages: the requirements contradict each other: %s", conflictDetail(out))
	case missing != "":
		return explainMissing(missing, version, out, log)
	case metadataRE.MatchString(all):
		return fault.New(fault.Invalid, "Try another version of the package.", "cannot install packages: the index sent a damaged wheel: %s", safetext.Clip(redact(lastLine(out)), maxQuote))
	case refusedRE.MatchString(all):
		return deniedByIndex()
	case certificateRE.MatchString(all):
		return untrustedIndex()
	case serverErrorRE.MatchString(all), connectionRE.MatchString(all):
		return unreachableIndex()
	}
	return fmt.Errorf("cannot install packages: pip failed: %w: %s", cause, strings.ReplaceAll(out, "\n", " | "))
}

// explainFixed makes a fault of a failed run that was for packages beside others,
// when it failed for those, or nil.
func explainFixed(there []Package, session bool, out string) error {
	if len(there) == 0 || !conflictRE.MatchString(out) {
		return nil
	}
	has, remedy := "the image has", "Ask for another version, or let a step of a build install the packages."
	if session {
		has, remedy = "the session has", "Ask for another version, or begin a session with all packages."
	}
	return fault.New(fault.Invalid, remedy, "cannot add packages: they contradict each other or what %s: %s",
		has, strings.ReplaceAll(conflictDetail(out), "The user requested (constraint)", has))
}

// explainMissing tells apart why pip found no release of a package.
func explainMissing(missing, version, out, log string) error {
	page := pagesOf(missing, log)
	versions := ""
	if m := versionsRE.FindStringSubmatch(out); m != nil && m[1] != "none" {
		versions = m[1]
	}
	switch {
	case certificateRE.MatchString(page):
		return untrustedIndex()
	case connectionRE.MatchString(page), serverErrorRE.MatchString(page):
		return unreachableIndex()
	case refusedRE.MatchString(page):
		return deniedByIndex()
	case versions != "":
		list := strings.Split(versions, ", ")
		return fault.New(fault.NotFound, "Ask for one of these versions, or for none in particular.",
			"cannot find a version of %s that fits: the index has %s", missing, strings.Join(list[max(0, len(list)-6):], ", "))
	case skippedRE.MatchString(page), requiresRE.MatchString(page):
		return fault.New(fault.Invalid, "Ask for another version, or for a package that has wheels for this Python; source packages are not built.",
			"cannot use %s: the index has no wheel of it for CPython %s on this machine", missing, version)
	}
	return fault.New(fault.NotFound, "Check the spelling of the name.", "cannot find a package named %s in the index", missing)
}

// pagesOf returns the lines of the log that speak of the package's own page,
// links and connection: other packages' troubles are not this one's.
func pagesOf(requirement, log string) string {
	name := normalName(nameRE.FindString(requirement))
	var b strings.Builder
	for line := range strings.Lines(log) {
		low := strings.ToLower(runsRE.ReplaceAllString(line, "-"))
		if strings.Contains(low, name) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func unreachableIndex() error {
	return fault.New(fault.Unavailable, "Check the network, the proxy and PIP_INDEX_URL; what was installed once works without a network.",
		"cannot reach the package index")
}

func untrustedIndex() error {
	return fault.New(fault.Unavailable, "Set PIP_CERT or SSL_CERT_FILE to the certificates of your network.",
		"cannot reach the package index: its certificate is not trusted")
}

func deniedByIndex() error {
	return fault.New(fault.Denied, "Check the credentials of the index in PIP_INDEX_URL, pip's configuration or ~/.netrc.",
		"cannot use the package index: it refused access")
}

// hashDetail picks the package and the digests out of pip's complaint.
func hashDetail(out string) string {
	var parts []string
	seen := false
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if hashWrongRE.MatchString(line) {
			seen = true
			continue
		}
		if seen && line != "" && len(parts) < 3 {
			parts = append(parts, safetext.Clip(redact(line), maxQuote))
		}
	}
	return strings.Join(parts, " ")
}

// conflictDetail picks out of pip's complaint who wants what.
func conflictDetail(out string) string {
	var parts []string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, " depends on ") || strings.HasPrefix(line, "The user requested ") {
			parts = append(parts, safetext.Clip(redact(line), maxQuote))
		}
	}
	if len(parts) == 0 {
		return safetext.Clip(redact(lastLine(out)), maxQuote)
	}
	return strings.Join(parts, "; ")
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// readTail reads the last max bytes of a file.
func readTail(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if skip := info.Size() - max; skip > 0 {
		if _, err := f.Seek(skip, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, max))
}

// tail is a writer that keeps the last bytes, for error messages.
type tail struct{ data []byte }

// Write takes output.
func (t *tail) Write(p []byte) (int, error) {
	const keep = 4 << 10
	t.data = append(t.data, p...)
	if len(t.data) > keep {
		t.data = append(t.data[:0], t.data[len(t.data)-keep:]...)
	}
	return len(p), nil
}

// String returns what was kept, trimmed.
func (t *tail) String() string { return strings.TrimSpace(strings.ToValidUTF8(string(t.data), "?")) }
