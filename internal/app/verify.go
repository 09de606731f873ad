package app

import (
	"context"
	"iter"
	"slices"

	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/record/journal"
)

// Verdict is what is to be thought of a journal.
type Verdict string

// The verdicts, the worst last.
const (
	Whole      Verdict = "whole"
	Unfinished Verdict = "unfinished"
	Stranger   Verdict = "unknown_key"
	Broken     Verdict = "damaged"
)

// Verdicts returns them all, the worst last.
func Verdicts() []Verdict { return []Verdict{Whole, Unfinished, Stranger, Broken} }

// Worse returns the worse of two verdicts.
func Worse(a, b Verdict) Verdict {
	all := Verdicts()
	return all[max(slices.Index(all, a), slices.Index(all, b))]
}

// Key is a public key that signs or signed runs.
type Key = journal.Key

// KeyReport is what was found of a key that signed.
type KeyReport = journal.KeyReport

// Verified is what was found of one run, or of a file that one was exported to.
type Verified struct {
	Run    string  `json:"run"`
	Status Verdict `json:"status"`
	File   string  `json:"file,omitempty"`
	journal.Report
	// Children are the runs that it began, and theirs. Status is the worst of all.
	Children []Verified `json:"children,omitempty"`
}

// Gone says that the journal of a run that the index knows is not there.
func (v Verified) Gone() bool { return v.Damage != nil && v.Damage.Problem == journalGone }

// Trusts says whether a key may have signed: the pinned one when its Public is not
// empty, or one that it vouches for; else one that is known here.
func Trusts(pinned Key, k KeyReport) bool {
	if pinned.Public == "" {
		return k.Known
	}
	return k.Public == pinned.Public || slices.Contains(k.After, pinned.Public)
}

// verdictOf sums up what the check of a journal found.
func verdictOf(pinned Key, rep journal.Report) Verdict {
	switch {
	case rep.Damage != nil:
		return Broken
	case slices.ContainsFunc(rep.Keys, func(k KeyReport) bool { return !Trusts(pinned, k) }):
		return Stranger
	case !rep.Finished:
		return Unfinished
	}
	return Whole
}

// Verify checks the journal of a run, or a file that one was exported to: that
// every record is where it was and as it was, that contents are what their names
// say, and that the signatures are of keys that are known, or of the pinned one.
func (a *App) Verify(ctx context.Context, ref string, pinned Key) (Verified, error) {
	if IsFile(ref) {
		rep, err := a.records.Journal.VerifyFile(ctx, ref)
		return Verified{Run: rep.Run, Status: verdictOf(pinned, rep), File: ref, Report: rep}, err
	}
	id, err := a.FindRun(ctx, ref)
	if fault.KindOf(err) == fault.Conflict && wholeID.MatchString(ref) {
		id, err = ref, nil // the index cannot be read, and is not needed
	}
	if err != nil {
		return Verified{}, err
	}
	out, err := a.verify(ctx, id, pinned)
	if err != nil || out.Damage != nil {
		return out, err
	}
	children, err := a.records.Journal.Children(ctx, id)
	if err != nil {
		return out, err
	}
	for _, c := range children {
		one, err := a.verify(ctx, c.ID, pinned)
		if err != nil {
			return out, err
		}
		out.Children, out.Status = append(out.Children, one), Worse(out.Status, one.Status)
	}
	return out, nil
}

func (a *App) verify(ctx context.Context, id string, pinned Key) (Verified, error) {
	rep, err := a.records.Journal.Verify(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		rep, err = journal.Report{Run: id, Damage: &journal.Damage{Run: id, Problem: journalGone}}, nil
	}
	if rep.Run == "" {
		rep.Run = id // the journal itself does not say it any more
	}
	return Verified{Run: rep.Run, Status: verdictOf(pinned, rep), Report: rep}, err
}

// VerifyAll checks every run that has a journal or that the index knows, the
// newest first. An index that cannot be read is the first that it yields, as a
// fault of the kind Conflict: the journals stand for themselves, and follow.
func (a *App) VerifyAll(ctx context.Context, pinned Key) iter.Seq2[Verified, error] {
	return func(yield func(Verified, error) bool) {
		ids, err := a.allRuns(ctx)
		if err != nil && (!yield(Verified{}, err) || fault.KindOf(err) != fault.Conflict) {
			return
		}
		for _, id := range ids {
			got, err := a.verify(ctx, id, pinned)
			if !yield(got, err) || err != nil {
				return
			}
		}
	}
}

// Chain is what was found of the chain of runs.
type Chain = journal.ChainReport

// VerifyChain checks the chain of runs, with what [App.VerifyAll] found of each of
// them. The chain must go on from the anchor in a file; one that is not there is
// written, when nothing is wrong. "" names no file.
func (a *App) VerifyChain(ctx context.Context, found []Verified, anchor string) (out Chain, anchored bool, err error) {
	var from *journal.Anchor
	if anchor != "" {
		if from, err = journal.ReadAnchor(anchor); err != nil {
			return out, false, err
		}
	}
	checked := map[string]journal.Report{}
	for _, v := range found {
		if !v.Gone() {
			checked[v.Run] = v.Report
		}
	}
	out, err = a.records.Journal.VerifyChain(ctx, checked, from)
	if err != nil || anchor == "" || from != nil || len(out.Problems) > 0 {
		return out, false, err
	}
	return out, true, a.records.Journal.WriteAnchor(anchor, out)
}

// wholeID is the id of a run, all of it.
var wholeID = lazyregexp.New(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{4}$`)

// journalGone is what is wrong with a run that the index alone knows.
const journalGone = "the index knows the run, and its journal is gone"

// allRuns returns the runs that have a journal, or that the index knows, the
// newest first. With an error of the index it returns those that have a journal.
func (a *App) allRuns(ctx context.Context) ([]string, error) {
	var ids []string
	var indexErr error
	for s, err := range a.eachRun(ctx, journal.Query{}) {
		if err != nil {
			indexErr = err
			break
		}
		ids = append(ids, s.ID)
	}
	// After the index: to list it removes logs of runs that never began.
	for id, err := range a.records.Files.Logs().Names(ctx) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	return ids, indexErr
}
