package oci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
)

// Credentials are who asks a registry. Zero values mean those of the Docker
// configuration of whoever runs the program, or nobody.
type Credentials struct{ User, Password string }

// Reference names an image of a registry.
type Reference struct{ ref name.Reference }

// ParseReference reads a reference such as "alpine:3.22", "ghcr.io/owner/name" or
// "alpine@sha256:…".
func ParseReference(s string) (Reference, error) {
	ref, err := name.ParseReference(s)
	if err != nil {
		return Reference{}, fault.New(fault.Invalid, "Write it as in alpine:3.22, ghcr.io/owner/name:tag or name@sha256:digest.",
			"cannot read the reference %s of an image: %w", safetext.Line(safetext.Clip(s, 200)), err)
	}
	return Reference{ref}, nil
}

// String returns the reference as people write it, with its tag or its digest.
func (r Reference) String() string { return short(r.ref.Name()) }

// Digest returns the digest by which the reference names an image; "": it has a tag.
func (r Reference) Digest() string {
	if d, ok := r.ref.(name.Digest); ok {
		return d.DigestStr()
	}
	return ""
}

// At returns the reference to the same image by a digest.
func (r Reference) At(digest string) string { return short(r.ref.Context().Digest(digest).Name()) }

// short leaves out what is meant where nothing is said.
func short(s string) string {
	s = strings.TrimPrefix(s, name.DefaultRegistry+"/")
	return strings.TrimPrefix(s, "library/")
}

// registry is an image in a registry.
type registry struct {
	ref   name.Reference
	guard *guard
	rt    http.RoundTripper
}

// busy are the answers after which a registry is asked again.
var busy = []int{http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// userAgent is how registries know us.
const userAgent = "praxis"

// Registry opens an image of a registry. Nothing is asked yet but for the right to read.
func Registry(ctx context.Context, r Reference, c Credentials) (Source, error) {
	auth := authn.Authenticator(&authn.Basic{Username: c.User, Password: c.Password})
	if c == (Credentials{}) {
		var err error
		if auth, err = authn.Resolve(ctx, authn.DefaultKeychain, r.ref.Context()); err != nil {
			return nil, fault.New(fault.Invalid, "Mend the file, or say who asks.", "cannot read the credentials of Docker's configuration: %w", err)
		}
	}
	host := url.URL{Host: r.ref.Context().RegistryStr()}
	out := &registry{ref: r.ref, guard: newGuard(host.Hostname())}
	base := transport.NewRetry(transport.NewUserAgent(out.guard, userAgent), transport.WithRetryStatusCodes(busy...))
	rt, err := transport.NewWithContext(ctx, r.ref.Context().Registry, auth, base, []string{r.ref.Scope(transport.PullScope)})
	if err != nil {
		return nil, out.explain(err)
	}
	out.rt = rt
	return out, nil
}

func (r *registry) Name() string { return short(r.ref.Name()) }

func (r *registry) Close() error {
	(&http.Client{Transport: r.guard.direct}).CloseIdleConnections()
	return nil
}

// explain makes a fault of what a registry answered.
func (r *registry) explain(err error) error {
	var t *transport.Error
	var f *fault.Error
	var at *url.Error
	image := safetext.Line(r.Name())
	if errors.As(err, &at) {
		err = at.Err // addresses that registries lead to have in them what gives access
	}
	switch {
	case errors.As(err, &f):
		return fmt.Errorf("cannot get image %s: %w", image, f)
	case errors.As(err, &t) && (t.StatusCode == http.StatusUnauthorized || t.StatusCode == http.StatusForbidden):
		return fault.Coded(fault.RegistryDenied, fault.Data{"registry": safetext.Line(r.ref.Context().RegistryStr())}, "cannot get image %s: its registry wants other credentials", image)
	case errors.As(err, &t) && t.StatusCode == http.StatusNotFound:
		return fault.New(fault.NotFound, "Check the name and the tag.", "cannot get image %s: its registry has no such image", image)
	case errors.Is(err, context.Canceled):
		return fault.New(fault.Canceled, "", "cannot get image %s: canceled: %w", image, err)
	}
	return fault.New(fault.Unavailable, "Try again when the registry can be reached.", "cannot get image %s: %s", image, safetext.Line(safetext.Clip(err.Error(), 400)))
}

// get asks for a path of the repository.
func (r *registry) get(ctx context.Context, what string, header http.Header) (*http.Response, error) {
	repo := r.ref.Context()
	address := fmt.Sprintf("%s://%s/v2/%s/%s", repo.Scheme(), repo.RegistryStr(), repo.RepositoryStr(), what)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := (&http.Client{Transport: r.rt}).Do(req)
	if err != nil {
		return nil, r.explain(err)
	}
	if err := transport.CheckError(resp, http.StatusOK, http.StatusPartialContent); err != nil {
		return nil, errors.Join(r.explain(err), resp.Body.Close())
	}
	return resp, nil
}

// Manifest asks for the manifest, and chooses one where there are several.
func (r *registry) Manifest(ctx context.Context, want Platform) (Manifest, error) {
	desc, err := remote.Get(r.ref, remote.WithContext(ctx), remote.WithTransport(r.rt))
	if err != nil {
		return Manifest{}, r.explain(err)
	}
	return pick(candidate{Descriptor: Descriptor{MediaType: string(desc.MediaType), Digest: desc.Digest.String(), Size: desc.Size}}, want, func(d Descriptor) ([]byte, error) {
		if d.Digest == desc.Digest.String() {
			if len(desc.Manifest) > maxManifest {
				return nil, tooLarge("its manifest has %s", safetext.Size(int64(len(desc.Manifest))))
			}
			return desc.Manifest, nil
		}
		resp, err := r.get(ctx, "manifests/"+d.Digest, http.Header{"Accept": {d.MediaType}})
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return readBlob(resp.Body, d, maxManifest)
	})
}

// maxIndexes bounds how deep indexes name indexes.
const maxIndexes = 3

// pick follows indexes to the manifest of a platform.
func pick(at candidate, want Platform, read func(Descriptor) ([]byte, error)) (Manifest, error) {
	for range maxIndexes {
		raw, err := read(at.Descriptor)
		if err != nil {
			return Manifest{}, err
		}
		if !at.isIndex() {
			return parseManifest(raw)
		}
		all, err := parseIndex(raw)
		if err != nil {
			return Manifest{}, err
		}
		if at, err = choose(all, want); err != nil {
			return Manifest{}, err
		}
	}
	return Manifest{}, damaged("its indexes name indexes")
}

// Open asks for a blob, from an offset on.
func (r *registry) Open(ctx context.Context, d Descriptor, offset int64) (io.ReadCloser, error) {
	header := http.Header{"Accept-Encoding": {"identity"}}
	if offset > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(offset, 10)+"-"+strconv.FormatInt(d.Size-1, 10))
	}
	resp, err := r.get(ctx, "blobs/"+d.Digest, header)
	if err != nil {
		return nil, err
	}
	if offset > 0 && resp.StatusCode != http.StatusPartialContent {
		// It sends all of it again.
		if _, err := io.CopyN(io.Discard, resp.Body, offset); err != nil {
			return nil, errors.Join(r.explain(err), resp.Body.Close())
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{bounded.ReaderFunc(func(p []byte) (int, error) {
		n, err := resp.Body.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			err = r.explain(err)
		}
		return n, err
	}), resp.Body}, nil
}
