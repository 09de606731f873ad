package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const verifyLong = `Checks the journals of runs: that every record is where it was and as it was
(each one holds the hash of the one before), that every content is what its
name says, and that the signatures are of keys that are known here. Whatever is
wrong is named with the record and its position. Nothing is changed.

A FILE is what praxis export wrote, a bundle or a bare journal. Without a RUN or
a FILE every run is checked, and the chain of runs: that no run is missing but
those that praxis removed. Of one whose journal is gone for another reason,
praxis runs rm takes note; it is listed then, and is no damage any more.

Whoever can change the data folder can cut off the chain's end with its last
runs, or have it begin anew. An anchor is a small FILE that says where the chain
stands, to be kept where they cannot change it: --anchor writes one that is not
there, and a chain that does not go on from one that is there is damaged.

The exit code is 0 only when all is whole and finished; 1 when something is
damaged or signed by a key that is not known; 3 when what there is is whole but
was begun and not finished, as after a crash.`

// verifyCommand is one praxis verify.
type verifyCommand struct {
	p      *program
	key    string
	pinned app.Key // read from the file
	anchor string
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
	fs.StringVar(&v.anchor, "anchor", "", "`FILE` that the chain of runs must go on from; written when it is not there")
	fs.BoolVar(&v.json, "json", false, "print one JSON object a line")
	return cmd
}

// verdictCode maps a verdict to an exit code.
func verdictCode(v app.Verdict) int {
	switch v {
	case app.Whole:
		return exitOK
	case app.Unfinished:
		return exitUnfinished
	}
	return exitNot
}

func (v *verifyCommand) run(ctx context.Context, args []string) error {
	if v.all && len(args) > 0 {
		return usage("praxis verify", "--all and %q name two things", safetext.Line(args[0]))
	}
	if v.anchor != "" && len(args) > 0 {
		return usage("praxis verify", "--anchor is of all runs, and %q names one", safetext.Line(args[0]))
	}
	if v.key != "" {
		public, err := app.ReadKeyFile(v.key)
		if err != nil {
			return err
		}
		v.pinned = public
	}
	if len(args) == 0 && v.p.server != nil {
		return usage("praxis verify", "a run is missing: a server checks those that are named")
	}
	if len(args) == 0 {
		return v.p.withApp(func(a *app.App) error { return v.everything(ctx, a) })
	}
	return on(v.p, func(a recorder) error {
		worst := app.Whole
		for _, arg := range args {
			got, err := a.Verify(ctx, arg, v.pinned)
			if err == nil {
				err = v.printVerified(got, true)
			}
			if err != nil {
				return err
			}
			worst = app.Worse(worst, got.Status)
		}
		return exitWith(worst)
	})
}

// everything checks every run, and lists those that are not whole.
func (v *verifyCommand) everything(ctx context.Context, a *app.App) error {
	counts := map[app.Verdict]int{}
	var found []app.Verified
	var records, bytes int64
	var index error // why it could not be read
	worst := app.Whole
	for got, err := range a.VerifyAll(ctx, v.pinned) {
		switch {
		case err != nil && got.Run == "" && fault.KindOf(err) == fault.Conflict:
			index = err // the journals stand for themselves
			continue
		case err != nil:
			return err
		}
		if index != nil {
			printMessage(v.p.stderr, index.Error(), format.Remedy(index))
			index = nil
		}
		if err := v.printVerified(got, false); err != nil {
			return err
		}
		counts[got.Status]++
		found = append(found, got)
		records, bytes, worst = records+got.Records, bytes+got.Bytes, app.Worse(worst, got.Status)
	}
	if index != nil { // and there is no journal beside it
		return index
	}
	chain, anchored, err := a.VerifyChain(ctx, found, v.anchor)
	switch {
	case err != nil:
		return err
	case len(chain.Problems) > 0:
		worst = app.Broken
	}
	switch {
	case v.json:
		return errors.Join(v.p.printJSON(map[string]any{"chain": chain}), exitWith(worst))
	case len(found) == 0 && len(chain.Problems) == 0:
		return v.p.emit(noRuns)
	}
	var parts []string
	for _, k := range app.Verdicts() {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", safetext.Number(counts[k]), verdictWords(k)))
		}
	}
	text := fmt.Sprintf("%s: %s; %s records, %s\n", safetext.Count(len(found), "run"), strings.Join(parts, ", "), safetext.Number(int(records)), safetext.Size(bytes))
	return errors.Join(v.p.emit(v.chainText(chain, anchored)+text), exitWith(worst))
}

// chainText says what was found of the chain of runs, or "" when there is nothing to say.
func (v *verifyCommand) chainText(c app.Chain, anchored bool) string {
	var b strings.Builder
	if len(c.Problems) > 0 {
		b.WriteString("the chain of runs  damaged\n")
	}
	for _, p := range c.Problems {
		for i, part := range format.BreakWords(safetext.Line(p), 64) {
			fmt.Fprintf(&b, "  %-11s %s\n", map[bool]string{true: "damage"}[i == 0], part)
		}
	}
	for _, l := range c.Lost {
		fmt.Fprintf(&b, "%s is lost: %s took note of that, %s\n", l.Run, safetext.Line(l.Who), when(l.Time))
	}
	if c.Older > 0 && c.Entries > 0 {
		fmt.Fprintf(&b, "%s from before the chain of runs, which cannot say whether others are missing\n", safetext.Count(c.Older, "run"))
	}
	if anchored {
		fmt.Fprintf(&b, "saved %s: the chain of runs has %s entries\n", safetext.Line(v.anchor), safetext.Number(int(c.Entries)))
	}
	return b.String()
}

// printVerified says what was found of one run. Unless all is wanted, one that is whole
// is worth no line.
func (v *verifyCommand) printVerified(got app.Verified, all bool) error {
	switch {
	case v.json:
		return v.p.printJSON(got)
	case all || got.Status != app.Whole:
		return v.p.emit(v.text(got))
	}
	return nil
}

// verdictWords is a verdict as a person reads it.
func verdictWords(v app.Verdict) string {
	switch v {
	case app.Unfinished:
		return "begun, not finished"
	case app.Stranger:
		return "signed by a key that is not trusted"
	}
	return string(v)
}

// text says what was checked.
func (v *verifyCommand) text(rep app.Verified) string {
	var b strings.Builder
	name := rep.Run
	if rep.File != "" {
		name = strings.TrimSpace(rep.File + "  " + rep.Run)
	}
	fmt.Fprintf(&b, "%s  %s\n", safetext.Line(name), verdictWords(rep.Status))
	line := func(label, layout string, args ...any) {
		text := safetext.Line(fmt.Sprintf(layout, args...))
		for i, part := range format.BreakWords(text, 64) {
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&b, "  %-11s %s\n", label, part)
		}
	}
	if d := rep.Damage; d != nil {
		line("damage", "%s", d.Problem)
		if !rep.Gone() {
			line("where", "record %d, byte %d of the journal", d.Seq, d.Offset)
		}
		// That a record was changed shows in the one after it.
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
	line("last hash", "%s", rep.Head)
	switch {
	case rep.Running:
		line("end", "none yet: the run goes on, and this is what stands there by now")
	case !rep.Finished:
		line("end", "none: the process that executed it ended first")
	}
	for _, c := range rep.Children {
		fmt.Fprintf(&b, "  child %s  %s\n", safetext.Line(c.Run), verdictWords(c.Status))
		if c.Damage != nil {
			fmt.Fprintf(&b, "    %s\n", safetext.Line(c.Damage.Error()))
		}
	}
	if rep.Status == app.Stranger && v.pinned.Public == "" {
		line("→", "If you know whose key it is, trust it with praxis key trust, or name its file with --key. Who wrote the run anew could have made a key for it.")
	}
	return b.String()
}

func signatures(rep app.Verified) string {
	if rep.Checkpoints == 0 {
		return "none yet"
	}
	text := fmt.Sprintf("%s, good", safetext.Number(int(rep.Checkpoints)))
	if left := rep.Records - rep.Signed; left > 0 {
		text += fmt.Sprintf("; the last %s not signed yet", safetext.Count(int(left), "record"))
	}
	return text
}

func (v *verifyCommand) keyText(k app.KeyReport) string {
	switch {
	case v.pinned.Public != "" && k.Public == v.pinned.Public:
		return k.ID + ", the one in " + v.key
	case v.pinned.Public != "" && app.Trusts(v.pinned, k):
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

func exitWith(v app.Verdict) error {
	if code := verdictCode(v); code != exitOK {
		return exitStatus{code}
	}
	return nil
}
