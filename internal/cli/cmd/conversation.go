package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/tui"
	"praxis/internal/language"
)

// endTime bounds how long the thread of a conversation may take to be removed.
const endTime = 10 * time.Second

// converses says whether questions are typed at a prompt: none is given, and a person
// sits at a terminal.
func (a *askCommand) converses(args []string) bool {
	return len(args) == 0 && !a.json && a.mode.mode != app.ModePlan && isTerminal(a.p.stdin) && isTerminal(a.p.stdout) && a.p.getenv("TERM") != "dumb"
}

// converse asks what is typed, line by line, as questions of one thread. Without
// --thread it lives as long as the command.
func (a *askCommand) converse(ctx context.Context) (err error) {
	cfg, err := a.p.config()
	if err != nil {
		return err
	}
	if a.thread == "" {
		a.thread = fmt.Sprintf("conversation-%s-%d", time.Now().UTC().Format("20060102-150405"), os.Getpid())
		defer func() { err = errors.Join(err, a.forget(ctx)) }()
	}
	if err := a.p.emit("Each line is a question; the next one goes on with it, its variables and files.\nCtrl-C stops an answer, Ctrl-D ends the conversation.\n"); err != nil {
		return err
	}
	questions := tui.NewTypedPieces(tui.Typing{
		Pieces: tui.Pieces{Language: func() language.Language { return language.Language{} }, Command: func(string) bool { return true }},
		Style:  a.p.styleOf(a.p.stdout), History: filepath.Join(cfg.Home, "questions"),
		Complete: func(_ string, cursor int) (int, []string) { return cursor, nil },
	})
	for ctx.Err() == nil {
		question, err := questions.Piece(ctx)
		question = strings.TrimSpace(question)
		switch {
		case errors.Is(err, io.EOF), exitRule.MatchString(question):
			return nil
		case errors.Is(err, tui.ErrAborted), err == nil && question == "":
			continue
		case err != nil:
			return err
		}
		if err := questions.Remember(question); err != nil {
			report(a.p.stderr, err)
		}
		a.turns++
		if err := a.turn(ctx, question); err != nil {
			return err
		}
	}
	return errInterrupted
}

// turn asks one question. Ctrl-C stops it, and not the conversation. What goes wrong with
// it is said, and does not end the conversation; that nobody reads any more does.
func (a *askCommand) turn(ctx context.Context, question string) error {
	one, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	done := a.p.interrupts.during(ctx, func(context.Context) error {
		stop(errInterrupted)
		return nil
	})
	err := a.run(one, question)
	done()
	if errorCode(err) == exitPipe {
		return err
	}
	if err == nil || errors.As(err, new(exitStatus)) {
		a.files = nil // they are in the session of the thread
	}
	report(a.p.stderr, err)
	return nil
}

// forget removes the thread of a conversation that nobody named. Its runs stay.
func (a *askCommand) forget(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	err := on(a.p, func(x threader) error { return x.RemoveThread(ctx, a.thread) })
	if fault.KindOf(err) == fault.NotFound { // nothing was asked
		return nil
	}
	return err
}
