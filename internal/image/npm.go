package image

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// npmEnv are the variables of the person that reach npm: where the registry is, how to
// get there, and whom to trust.
var npmEnv = []string{
	"HOME", "XDG_CONFIG_HOME", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NPM_TOKEN", "NODE_AUTH_TOKEN",
	"npm_config_registry", "NPM_CONFIG_REGISTRY", "npm_config_userconfig", "NPM_CONFIG_USERCONFIG", "npm_config_cafile", "NPM_CONFIG_CAFILE",
	"npm_config_proxy", "npm_config_https_proxy", "npm_config_noproxy", "npm_config_strict_ssl", "npm_config_before",
}

// npmPart is a layer of packages of npm with what is known of them.
type npmPart struct {
	part
	lock npmLock
}

// glibc is the C library that packages are for where nothing else is said, as npm calls it.
const glibc = "glibc"

// npmRequestKey is the digest under which the lock of a request is kept.
func npmRequestKey(reqs []npmRequirement, libc string) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "npm request 1\nnode %s\n", nodeKey())
	if libc != glibc {
		_, _ = fmt.Fprintf(h, "libc %s\n", libc)
	}
	for _, r := range reqs {
		_, _ = fmt.Fprintln(h, r)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// findNPMLock returns what the request was resolved to before.
func (s *Store) findNPMLock(key string) (npmLock, bool) {
	var l npmLock
	data, err := bounded.ReadFile(s.requestPath(key), maxNPMLock)
	if err != nil || s.seals.Decode(requestDir, key, data, &l) != nil || l.check() != nil {
		return npmLock{}, false
	}
	return l, true
}

// findModules returns the layer of a lock.
func (s *Store) findModules(ctx context.Context, l npmLock) (*npmPart, bool) {
	p, ok := s.findPart(ctx, kindModules, l.key())
	if !ok {
		return nil, false
	}
	return &npmPart{part: p, lock: l}, true
}

// findModulesOf returns the layer with a key.
func (s *Store) findModulesOf(ctx context.Context, key string) (*npmPart, bool) {
	p, ok := s.describePart(kindModules, key)
	if !ok {
		return nil, false
	}
	l, ok := readNPMLock(p.dir)
	if !ok || l.key() != key {
		return nil, false
	}
	return s.findModules(ctx, l)
}

func readNPMLock(dir string) (npmLock, bool) {
	var l npmLock
	data, err := bounded.ReadFile(filepath.Join(dir, npmLockFile), maxNPMLock)
	return l, err == nil && json.Unmarshal(data, &l) == nil && l.check() == nil
}

// makeModules returns the layer for packages of npm. It asks the registry only when the
// request was never resolved, or when tarballs of it are gone. libc is the C library of the
// Node that they are for.
func (s *Store) makeModules(ctx context.Context, py interpreter, node part, reqs []npmRequirement, libc string, say progress) (*npmPart, error) {
	key := npmRequestKey(reqs, libc)
	known, ok := s.findNPMLock(key)
	if ok {
		if p, ok := s.findModules(ctx, known); ok {
			return p, nil
		}
	}
	locked, err := s.lock(ctx, "request-"+key, say)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	if known, ok = s.findNPMLock(key); !ok {
		if known, err = s.resolveNPM(ctx, py, node, reqs, libc, say); err != nil {
			return nil, err
		}
	} else if s.missingTarballs(known) > 0 {
		if err := s.fetchTarballs(ctx, py, node, known, say); err != nil {
			return nil, err
		}
	}
	p, err := s.layOutModules(ctx, known, say)
	if err != nil {
		return nil, err
	}
	data, err := s.seals.Encode(requestDir, key, known)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the lock: %w", err)
	}
	if err := s.writeFile(s.requestPath(key), data); err != nil {
		return nil, fmt.Errorf("cannot keep the lock: %w", err)
	}
	return p, nil
}

func (s *Store) missingTarballs(l npmLock) int {
	n := 0
	for _, t := range l.Tarballs {
		if _, err := os.Stat(filepath.Join(s.dir, wheelDir, t.SHA256)); err != nil {
			n++
		}
	}
	return n
}

// resolveNPM lets npm choose packages and fetch them, and keeps their tarballs. No program
// of a package runs.
func (s *Store) resolveNPM(ctx context.Context, py interpreter, node part, reqs []npmRequirement, libc string, say progress) (npmLock, error) {
	stage, err := s.stage("npm-" + rand.Text())
	if err != nil {
		return npmLock{}, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	wanted := map[string]string{}
	for _, r := range reqs {
		wanted[r.name] = r.specs
		if r.specs == "" {
			wanted[r.name] = "latest"
		}
	}
	project := map[string]any{"name": "image", "version": "1.0.0", "private": true, "dependencies": wanted}
	text, err := json.Marshal(project)
	if err != nil {
		return npmLock{}, err
	}
	if err := os.WriteFile(filepath.Join(stage, "package.json"), text, 0o644); err != nil {
		return npmLock{}, fmt.Errorf("cannot write the packages that are wanted: %w", err)
	}
	say("resolving " + safetext.Count(len(reqs), "package") + " of npm")
	if err := s.runNPM(ctx, py, node, stage, libc, "install"); err != nil {
		return npmLock{}, err
	}
	data, err := bounded.ReadFile(filepath.Join(stage, "node_modules", ".package-lock.json"), maxNPMLock)
	if err != nil {
		return npmLock{}, fmt.Errorf("cannot read what npm installed: %w", err)
	}
	l, err := parseInstalled(data)
	if err != nil {
		return npmLock{}, err
	}
	l.Node = nodeKey()
	for i := range l.Tarballs {
		if err := s.keepTarball(stage, &l.Tarballs[i]); err != nil {
			return npmLock{}, err
		}
	}
	return l, l.check()
}

// fetchTarballs gets the tarballs of a lock from the registry once more.
func (s *Store) fetchTarballs(ctx context.Context, py interpreter, node part, l npmLock, say progress) error {
	stage, err := s.stage("npm-" + rand.Text())
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	say("fetching " + safetext.Count(len(l.Tarballs), "package") + " of npm again")
	wanted := []string{"cache", "add"}
	for _, t := range l.Tarballs {
		wanted = append(wanted, t.Name+"@"+t.Version)
	}
	if err := s.runNPM(ctx, py, node, stage, glibc, wanted...); err != nil {
		return err
	}
	for _, t := range l.Tarballs {
		was := t.SHA256
		if err := s.keepTarball(stage, &t); err != nil {
			return err
		}
		if t.SHA256 != was {
			return fault.New(fault.Conflict, "Ask for another version.", "cannot use package %s of npm: it is not what it was", t.Name)
		}
	}
	return nil
}

// keepTarball takes a tarball out of npm's cache into the store, when it is what its
// integrity says.
func (s *Store) keepTarball(stage string, t *Tarball) error {
	rel, err := cachePath(t.Integrity)
	if err != nil {
		return fmt.Errorf("cannot keep package %s: %w", t.Name, err)
	}
	in, err := os.Open(filepath.Join(stage, "cache", filepath.FromSlash(rel)))
	if errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.Conflict, "Check where the package comes from.", "cannot use package %s of npm: the registry sent something else than its digest says", t.Name)
	}
	if err != nil {
		return fmt.Errorf("cannot keep package %s: %w", t.Name, err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.CreateTemp(s.tmp(), "write.")
	if err != nil {
		return fmt.Errorf("cannot keep package %s: %w", t.Name, err)
	}
	defer func() { _ = os.Remove(out.Name()) }()
	short, long := sha256.New(), sha512.New()
	_, err = io.Copy(io.MultiWriter(out, short, long), io.LimitReader(in, maxModules))
	if err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("cannot keep package %s: %w", t.Name, err)
	}
	if "sha512-"+base64.StdEncoding.EncodeToString(long.Sum(nil)) != t.Integrity {
		return fault.New(fault.Conflict, "Try again.", "cannot use package %s of npm: it is not what its digest says", t.Name)
	}
	t.SHA256 = hex.EncodeToString(short.Sum(nil))
	return os.Rename(out.Name(), filepath.Join(s.dir, wheelDir, t.SHA256))
}

// runNPM runs npm in a folder, with its cache in it. Scripts of packages, programs such as
// git and settings that would change what is installed are off.
func (s *Store) runNPM(ctx context.Context, py interpreter, node part, stage, libc string, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pipTimeout,
		fault.New(fault.Unavailable, "Try again, or ask for fewer packages.", "cannot install packages of npm: it took longer than %s", pipTimeout))
	defer cancel()
	ctx, stop := watchSize(ctx, stage)
	defer stop()
	cpu := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	tmp := filepath.Join(stage, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return fmt.Errorf("cannot make a folder for npm: %w", err)
	}
	argv := append(hostCommand(py.root.tree(), filepath.Join(node.tree(), "bin", "node")), filepath.Join(node.dir, npmFolder, "bin", "npm-cli.js"))
	argv = append(append(argv, args...), npmOptions(stage, cpu, libc)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = stage
	cmd.Env = []string{"PATH=/nonexistent", "LANG=C.UTF-8", "TMPDIR=" + tmp, "NODE_OPTIONS=", "NO_UPDATE_NOTIFIER=1"}
	for _, name := range npmEnv {
		if value, ok := os.LookupEnv(name); ok && value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err := runCommand(cmd)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	if err != nil {
		return explainNPM(err, out.String())
	}
	return nil
}

// npmOptions are the options of every run of npm, which go before the person's settings.
func npmOptions(stage, cpu, libc string) []string {
	var out []string
	for _, o := range []string{
		"ignore-scripts", "audit=false", "fund=false", "update-notifier=false", "bin-links=false", "global=false",
		"prefix=" + stage, "cache=" + filepath.Join(stage, "cache"), "install-strategy=hoisted", "omit=dev", "include=optional", "include=peer",
		"package-lock=true", "package-lock-only=false", "dry-run=false", "engine-strict=false", "legacy-peer-deps=false", "strict-peer-deps=false", "force=false", "offline=false",
		"os=linux", "cpu=" + cpu, "libc=" + libc, "git=/nonexistent", "script-shell=/nonexistent", "progress=false", "color=false", "loglevel=error",
		"logs-max=0", "fetch-retries=2", "omit-lockfile-registry-resolved=false", "save=true",
	} {
		out = append(out, "--"+o)
	}
	return out
}

// npmFailures are what npm says about why it failed.
var (
	npmCodeRE    = lazyregexp.New(`(?m)^npm (?:error|ERR!) code (\S+)`)
	npmMissingRE = lazyregexp.New(`'([^'\s]{1,120})' is not in (?:this|the npm) registry|404 +'?([^'\s]+)'? is not|Not Found - GET \S+/([^/\s]+) -`)
	npmTargetRE  = lazyregexp.New(`No matching version found for ([^\s.]\S*?)\.?(?:\s|$)`)
)

// explainNPM makes one fault of a failed run.
func explainNPM(cause error, out string) error {
	code := ""
	if m := npmCodeRE.FindStringSubmatch(out); m != nil {
		code = m[1]
	}
	quote := func(re *lazyregexp.Regexp) string {
		if m := re.FindStringSubmatch(out); m != nil {
			return safetext.Clip(redact(strings.Join(m[1:], "")), 80)
		}
		return "of that name"
	}
	switch code {
	case "E404":
		return fault.New(fault.NotFound, "Check the spelling of the name.", "cannot find a package %s in the registry of npm", quote(npmMissingRE))
	case "ETARGET", "ENOVERSIONS":
		return fault.New(fault.NotFound, "Ask for another version, or for none in particular.", "cannot find a version of npm's package %s that fits", quote(npmTargetRE))
	case "ERESOLVE":
		return fault.New(fault.Invalid, "Loosen the conditions on the versions.", "cannot install packages of npm: what they need contradicts each other")
	case "EINTEGRITY":
		return fault.New(fault.Conflict, "Check where the package comes from.", "cannot install packages of npm: the registry sent something else than its digest says")
	case "E401", "E403", "ENEEDAUTH":
		return fault.New(fault.Denied, "Check the credentials of the registry in npm's configuration.", "cannot use the registry of npm: it refused access")
	case "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "E500", "E502", "E503", "E504", "ENOTCACHED":
		return fault.New(fault.Unavailable, "Check the network, the proxy and npm's configuration; what was installed once works without a network.", "cannot reach the registry of npm")
	case "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT":
		return fault.New(fault.Unavailable, "Set NODE_EXTRA_CA_CERTS to the certificates of your network.", "cannot reach the registry of npm: its certificate is not trusted")
	case "ENOSPC", "EDQUOT":
		return fault.New(fault.Exhausted, spaceRemedy, "cannot install packages of npm: no space is left on the device")
	}
	return fmt.Errorf("cannot install packages of npm: %w: %s", cause, safetext.Clip(redact(strings.ReplaceAll(out, "\n", " | ")), 4*maxQuote))
}

// layOutModules makes the layer of a lock from its tarballs.
func (s *Store) layOutModules(ctx context.Context, l npmLock, say progress) (*npmPart, error) {
	p, err := s.makePart(ctx, kindModules, l.key(), say, func(ctx context.Context, dir string) error {
		say("unpacking " + safetext.Count(len(l.Tarballs), "package") + " of npm")
		tree := filepath.Join(dir, treeDir)
		if err := os.MkdirAll(tree, 0o755); err != nil {
			return err
		}
		left := &space{maxModules, maxModuleFiles}
		for _, t := range l.Tarballs {
			if err := s.unpackTarball(ctx, t, tree, left); err != nil {
				return err
			}
		}
		data, err := json.MarshalIndent(l, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, npmLockFile), append(data, '\n'), 0o644); err != nil {
			return err
		}
		return openUp(dir)
	})
	if err != nil {
		return nil, err
	}
	return &npmPart{part: p, lock: l}, nil
}

func (s *Store) unpackTarball(ctx context.Context, t Tarball, tree string, left *space) error {
	name := filepath.Join(s.dir, wheelDir, t.SHA256)
	if sum, _, err := hashFile(name); err != nil || sum != t.SHA256 {
		return errors.Join(fault.New(fault.NotFound, "", "cannot lay out package %s of npm: its file is missing or was changed", t.Name), err)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	to := filepath.Join(tree, filepath.FromSlash(strings.TrimPrefix(t.Path, npmFolderEnd)))
	if err := untar(ctx, f, to, left); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fault.New(fault.Invalid, "Ask for another version.", "cannot use package %s of npm: %w", t.Name, err)
	}
	return nil
}
