package journal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/fault"
)

// maxTree bounds the runs of one tree: a run, its children, and theirs.
const maxTree = 10_000

// Children returns what is known of the runs that are children of a run, and of their
// children, in the order in which they began, each before its own. One whose record is
// gone is left out, and so is one that does not say itself whose child it is: a record
// from elsewhere cannot claim a run that is not its own.
func (j *Journal) Children(ctx context.Context, id string) ([]Summary, error) {
	var out []Summary
	seen := map[string]bool{id: true}
	if err := j.children(ctx, id, seen, &out); err != nil {
		return nil, fmt.Errorf("cannot look up the children of run %.40q: %w", id, err)
	}
	return out, nil
}

func (j *Journal) children(ctx context.Context, id string, seen map[string]bool, out *[]Summary) error {
	ids, err := j.childrenIn(ctx, id)
	if err != nil {
		return err
	}
	for _, child := range ids {
		if seen[child] || len(seen) > maxTree {
			continue
		}
		s, _, err := j.known(ctx, child)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if s.Caller == nil || s.Caller.Run != id {
			continue
		}
		seen[child] = true
		*out = append(*out, s)
		if err := j.children(ctx, child, seen, out); err != nil {
			return err
		}
	}
	return nil
}

// childrenIn returns the runs that a record says it began, as far as it can be read.
func (j *Journal) childrenIn(ctx context.Context, id string) ([]string, error) {
	if d, err := j.cfg.Index.Get(ctx, runDoc, id); err == nil {
		if s, err := summaryOf(d); err == nil && s.Children == 0 && s.Status != Running {
			return nil, nil // most runs have none, and are not read for it
		}
	}
	var out []string
	for r, err := range j.Records(ctx, id) {
		if err != nil {
			if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Conflict {
				break
			}
			return nil, err
		}
		if e, ok := r.Event.(event.ChildBegan); ok && validID(e.Run) {
			out = append(out, e.Run)
		}
	}
	return out, nil
}

// removeTree removes a run and its children. The children go first: after a crash the
// run is still there to be removed again.
func (j *Journal) removeTree(ctx context.Context, id string) (gone []Summary, lost bool, err error) {
	children, err := j.Children(ctx, id)
	if err != nil {
		return nil, false, err
	}
	for i := len(children) - 1; i >= 0; i-- {
		if _, err := j.remove(ctx, children[i].ID); err != nil && fault.KindOf(err) != fault.NotFound {
			return children, false, err
		}
	}
	lost, err = j.remove(ctx, id)
	return children, lost, err
}

// childRef takes a reference apart that names a child by its number, such as last.2 or
// last.2.1: the run, and the numbers.
func childRef(ref string) (run string, path []int, ok bool) {
	parts := strings.Split(ref, ".")
	if len(parts) < 2 || parts[0] == "" {
		return "", nil, false
	}
	for _, p := range parts[1:] {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > maxTree {
			return "", nil, false
		}
		path = append(path, n)
	}
	return parts[0], path, true
}

// findChild returns the id of the run that is the child with a number of another.
func (j *Journal) findChild(ctx context.Context, id string, n int) (string, error) {
	found := ""
	for r, err := range j.Records(ctx, id) {
		if err != nil {
			return "", err
		}
		if e, ok := r.Event.(event.ChildBegan); ok && e.N == n {
			if !validID(e.Run) {
				return "", fault.New(fault.NotFound, "Look at the run that it belongs to: it is recorded there.",
					"child %d of run %s is a request to a model and no run", n, id)
			}
			found = e.Run
		}
	}
	if found == "" {
		return "", fault.New(fault.NotFound, "Look at the run to see its children.", "run %s has no child %d", id, n)
	}
	return found, nil
}

// exported returns the children that go with a run into its bundle, sorted: its own, and
// those that it took over from the runs that it goes on from. What was made elsewhere takes
// nothing along that was made here.
func (j *Journal) exported(ctx context.Context, id string) ([]string, error) {
	whole, _, err := j.known(ctx, id)
	if err != nil {
		return nil, err
	}
	callers := map[string]bool{id: true}
	for p := whole.Parent; p != nil && p.Change == event.Resumed && !callers[p.Run]; {
		callers[p.Run] = true
		before, _, err := j.known(ctx, p.Run)
		if err != nil {
			break
		}
		p = before.Parent
	}
	ids, err := j.childrenIn(ctx, id)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	var out []string
	for _, child := range slices.Compact(ids) {
		s, _, err := j.known(ctx, child)
		switch {
		case fault.KindOf(err) == fault.NotFound:
		case err != nil:
			return nil, err
		case s.Caller != nil && callers[s.Caller.Run] && s.Imported == whole.Imported && child != id:
			out = append(out, child)
		}
	}
	return out, nil
}
