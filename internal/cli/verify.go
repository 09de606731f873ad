package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
)

const verifyLong = `Checks the journals of runs: that every record is where it was and as it was
(each one holds the hash of the one before), that every content is what its
name says, and that the signatures are of keys that are known here. Whatever is
wrong is named with the record and its position. Nothing is changed.

A FILE is what praxis export wrote, a bundle or a bare journal. Without a RUN or
a FILE every run is checked.

The exit code is 0 only when all is whole and finished; 1 when something is
damaged or signed by a key that is not known; 3 when what there is is whole but
was begun and not finished, as after a crash.`

// verifyCommand is one praxis verify.
type verifyCommand struct {
	p      *program
	key    string
	pinned journal.Key // read from the file
	all    bool
	json   bool
}

func (p *program) verifyCommand() *cobra.Command {
	v := &verifyCommand{p: p}
	cmd := &cobra.Command{
		Use: "verify [RUN|FILE]…", Short: "Check that the record of a run is whole and untouched", Long: verifyLong,
		Args: takes(0, 10000, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&v.key, "key", "", "public key `FILE` (PEM) that must have signed")
	fs.BoolVar(&v.all, "all", false, "check every run")
	fs.BoolVar(&v.json, "json", false, "print one JSON object a line")
	return cmd
}

// verdict is what was found of one run.
type verdict string

// The verdicts.
const (
	whole      verdict = "whole"
	unfinished verdict = "unfinished"
	stranger   verdict = "unknown_key"
	broken     verdict = "damaged"
)

// verdicts returns them all, the worst last.
func verdicts() []verdict { return []verdict{whole, unfinished, stranger, broken} }

// exitCode maps a verdict.
func (v verdict) exitCode() int {
	switch v {
	case whole:
		return exitOK
	case unfinished:
		return exitUnfinished
	}
	return exitNot
}

func (v *verifyCommand) run(ctx context.Context, args []string) error {
	if v.all && len(args) > 0 {
		return usage("praxis verify", "--all and %q name two things", safetext.Line(args[0]))
	}
	if v.key != "" {
		public, err := readKeyFile(v.key)
		if err != nil {
			return err
		}
		v.pinned = public
	}
	return v.p.withRecords(func(r *app.Records) error {
		if len(args) == 0 {
			return v.everything(ctx, r)
		}
		worst := whole
		for _, arg := range args {
			got, err := v.one(ctx, r.Journal, arg)
			if err != nil {
				return err
			}
			worst = worse(worst, got)
		}
		return exitWith(worst)
	})
}

// one checks a run or a file and tells all of it.
func (v *verifyCommand) one(ctx context.Context, j *journal.Journal, arg string) (verdict, error) {
	if isFile(arg) {
		rep, err := j.VerifyFile(ctx, arg)
		if err != nil {
			return "", err
		}
		return v.tell(rep, arg, true)
	}
	id, err := findRun(ctx, j, arg)
	if fault.KindOf(err) == fault.Conflict && wholeID.MatchString(arg) {
		id, err = arg, nil // the index cannot be read, and is not needed
	}
	if err != nil {
		return "", err
	}
	rep, err := check(ctx, j, id)
	if err != nil {
		return "", err
	}
	return v.tell(rep, "", true)
}

// wholeID is the id of a run, all of it.
var wholeID = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{4}$`)

// journalGone is what is wrong with a run that the index alone knows.
const journalGone = "the index knows the run, and its journal is gone"

// check checks a run that there is, or was.
func check(ctx context.Context, j *journal.Journal, id string) (journal.Report, error) {
	rep, err := j.Verify(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return journal.Report{Run: id, Damage: &journal.Damage{Run: id, Problem: journalGone}}, nil
	}
	if rep.Run == "" {
		rep.Run = id // the journal itself does not say it any more
	}
	return rep, err
}

// isFile says whether an argument names a file rather than a run.
func isFile(arg string) bool {
	if strings.ContainsRune(arg, '/') || strings.HasSuffix(arg, ".praxis") || strings.HasSuffix(arg, ".jsonl") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular()
}

// everything checks every run, and tells those that are not whole.
func (v *verifyCommand) everything(ctx context.Context, r *app.Records) error {
	ids, err := allRuns(ctx, r)
	if fault.KindOf(err) == fault.Conflict && len(ids) > 0 {
		// The journals stand for themselves.
		tell(v.p.stderr, err.Error(), remedyOf(err))
		err = nil
	}
	if err != nil {
		return err
	}
	counts := map[verdict]int{}
	var records, bytes int64
	worst := whole
	for _, id := range ids {
		rep, err := check(ctx, r.Journal, id)
		if err != nil {
			return err
		}
		got, err := v.tell(rep, "", false)
		if err != nil {
			return err
		}
		counts[got]++
		records, bytes, worst = records+rep.Records, bytes+rep.Bytes, worse(worst, got)
	}
	if v.json {
		return exitWith(worst)
	}
	if len(ids) == 0 {
		return v.p.emit(noRuns)
	}
	var parts []string
	for _, k := range verdicts() {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", safetext.Number(counts[k]), k.words()))
		}
	}
	text := fmt.Sprintf("%s: %s; %s records, %s\n", safetext.Count(len(ids), "run"), strings.Join(parts, ", "), safetext.Number(int(records)), safetext.Size(bytes))
	return errors.Join(v.p.emit(text), exitWith(worst))
}

// allRuns returns the runs that have a journal, or that the index knows, the
// newest first. With an error of the index it returns those that have a journal.
func allRuns(ctx context.Context, r *app.Records) ([]string, error) {
	var ids []string
	for id, err := range r.Files.Logs().Names(ctx) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	var indexErr error
	for s, err := range eachRun(ctx, r.Journal, journal.Query{}) {
		if err != nil {
			indexErr = err
			break
		}
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	return ids, indexErr
}

// verified is one object of verify --json.
type verified struct {
	Run    string  `json:"run"`
	Status verdict `json:"status"`
	File   string  `json:"file,omitempty"`
	journal.Report
}

// tell says what was found of one run. Unless all is wanted, one that is whole
// is worth no line.
func (v *verifyCommand) tell(rep journal.Report, file string, all bool) (verdict, error) {
	got := v.judge(rep)
	switch {
	case v.json:
		return got, v.p.printJSON(verified{rep.Run, got, file, rep})
	case all || got != whole:
		return got, v.p.emit(v.text(rep, got, file))
	}
	return got, nil
}

// judge says what is to be thought of a journal.
func (v *verifyCommand) judge(rep journal.Report) verdict {
	switch {
	case rep.Damage != nil:
		return broken
	case slices.ContainsFunc(rep.Keys, func(k journal.KeyReport) bool { return !v.trusts(k) }):
		return stranger
	case !rep.Finished:
		return unfinished
	}
	return whole
}

// trusts says whether a key may have signed: the one that was named, or one
// that is known here.
func (v *verifyCommand) trusts(k journal.KeyReport) bool {
	if v.pinned.Public == "" {
		return k.Known
	}
	return k.Public == v.pinned.Public || slices.Contains(k.After, v.pinned.Public)
}

// words is a verdict as a person reads it.
func (v verdict) words() string {
	switch v {
	case unfinished:
		return "begun, not finished"
	case stranger:
		return "signed by a key that is not trusted"
	}
	return string(v)
}

// text tells what was checked.
func (v *verifyCommand) text(rep journal.Report, got verdict, file string) string {
	var b strings.Builder
	name := rep.Run
	if file != "" {
		name = strings.TrimSpace(file + "  " + rep.Run)
	}
	fmt.Fprintf(&b, "%s  %s\n", safetext.Line(name), got.words())
	line := func(label, format string, args ...any) {
		text := safetext.Line(fmt.Sprintf(format, args...))
		for i, part := range breakWords(text, 64) {
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&b, "  %-11s %s\n", label, part)
		}
	}
	if d := rep.Damage; d != nil {
		line("damage", "%s", d.Problem)
		if d.Problem != journalGone {
			line("where", "record %d, byte %d of the journal", d.Seq, d.Offset)
		}
		// Of a record that was changed, it is the one after it that tells.
		switch good := min(rep.Records, d.Seq); good {
		case 0:
			line("before it", "nothing")
		case 1:
			line("before it", "1 record, which is whole")
		default:
			line("before it", "%s records, which are whole", safetext.Number(int(good)))
		}
		return b.String()
	}
	line("records", "%s (%s), each with the hash of the one before", safetext.Number(int(rep.Records)), safetext.Size(rep.Bytes))
	switch {
	case rep.Unchecked > 0:
		line("contents", "%s not checked: a bare journal comes without them", safetext.Number(rep.Unchecked))
	case rep.Blobs > 0:
		line("contents", "%s, each as its hash says", safetext.Number(rep.Blobs))
	}
	line("signatures", "%s", signatures(rep))
	for _, k := range rep.Keys {
		line("key", "%s", v.keyText(k))
	}
	switch {
	case rep.Running:
		line("end", "none yet: the run goes on, and this is what stands there by now")
	case !rep.Finished:
		line("end", "none: the process that carried it out ended first")
	}
	if got == stranger && v.pinned.Public == "" {
		line("→", "If you know whose key it is, trust it with praxis key trust, or name its file with --key. Who wrote the run anew could have made a key for it.")
	}
	return b.String()
}

func signatures(rep journal.Report) string {
	if rep.Checkpoints == 0 {
		return "none yet"
	}
	text := fmt.Sprintf("%s, good", safetext.Number(int(rep.Checkpoints)))
	if left := rep.Records - rep.Signed; left > 0 {
		text += fmt.Sprintf("; the last %s not signed yet", safetext.Count(int(left), "record"))
	}
	return text
}

func (v *verifyCommand) keyText(k journal.KeyReport) string {
	switch {
	case v.pinned.Public != "" && k.Public == v.pinned.Public:
		return k.ID + ", the one in " + v.key
	case v.pinned.Public != "" && v.trusts(k):
		return k.ID + ", for which the one in " + v.key + " vouches"
	case v.pinned.Public != "":
		return k.ID + ", not the one in " + v.key + " (" + v.pinned.ID + ")"
	case k.Known && k.Through != "":
		return k.ID + ", for which " + k.Through + " vouches, which is trusted here"
	case k.Known:
		return k.ID + ", trusted here"
	}
	return k.ID + ", not known here"
}

func worse(a, b verdict) verdict {
	all := verdicts()
	return all[max(slices.Index(all, a), slices.Index(all, b))]
}

func exitWith(v verdict) error {
	if code := v.exitCode(); code != exitOK {
		return fate{code}
	}
	return nil
}
