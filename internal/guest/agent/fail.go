package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// failure is what a failure frame says. kind is the name of a fault kind.
type failure struct {
	kind, message, remedy string
}

func (f *failure) Error() string { return f.message }

func failf(kind, remedy, format string, args ...any) *failure {
	return &failure{kind: kind, message: fmt.Sprintf(format, args...), remedy: remedy}
}

var (
	errCanceled = &failure{kind: "canceled", message: "the request was canceled"}
	errForgot   = errors.New("the stream was reopened")
)

// asFailure gives an error the kind that the host should see.
func asFailure(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, fs.ErrNotExist):
		return failf("not_found", "", "%s", plain(err))
	case errors.Is(err, fs.ErrPermission):
		return failf("denied", "The session's user may not do this; choose a path that he owns.", "%s", plain(err))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return failf("exhausted", "Remove files or give the session a larger disk.", "%s", plain(err))
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return failf("exhausted", "End processes of the session or raise its limits.", "%s", plain(err))
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.EISDIR),
		errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EXDEV), errors.Is(err, syscall.EBUSY):
		return failf("conflict", "", "%s", plain(err))
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		return failf("invalid", "", "%s", plain(err))
	}
	return failf("internal", "", "%s", plain(err))
}

// plain is the error's text without the system call's name.
func plain(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) && error(p) == err {
		return "cannot use " + p.Path + ": " + p.Err.Error()
	}
	return err.Error()
}

func (f *failure) wire() wire.Fault {
	return wire.Fault{Kind: f.kind, Message: safetext.Clip(f.message, wire.MaxText), Remedy: safetext.Clip(f.remedy, wire.MaxText)}
}
