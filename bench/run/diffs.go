package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/history/diff"
)

// edits is how much of a text is edited: one line in every.
type edits struct {
	name  string
	every int
}

func amounts() []edits { return []edits{{"few edits", 100}, {"many edits", 3}} }

// longTexts are the diffs of texts that are longer than any field of a proposal
// may be. What toolcrib does for them is timed inside this process: lines and,
// in them, words. The programs beside it are timed whole, and again without
// what each takes to start, read no text and end.
func (b bench) longTexts() ([]operation, error) {
	var ops []operation
	for _, size := range []struct {
		name  string
		bytes int
	}{{"100 KB", 100_000}, {"1 MB", 1_000_000}} {
		for _, e := range amounts() {
			before := page(size.bytes)
			after := edited(before, e.every)
			op := operation{name: "diff, " + e.name + ", inside a process", size: size.name, contenders: []contender{{
				name: "toolcrib", shown: "diff.Lines, Unified, Words", time: inMemory(strings.Join(before, "\n"), strings.Join(after, "\n")),
			}}}
			peers, err := b.differ(fmt.Sprintf("text_%d_%d", size.bytes, e.every), before, after)
			if err != nil {
				return nil, err
			}
			for _, p := range peers {
				op.contenders = append(op.contenders, p.whole(), p.withoutStart())
			}
			ops = append(ops, op)
		}
	}
	return ops, nil
}

// inMemory times what is done for a diff that is shown.
func inMemory(before, after string) func(context.Context, int) (time.Duration, error) {
	return func(context.Context, int) (time.Duration, error) {
		start := time.Now()
		for _, h := range diff.Lines(before, after).Unified(3) {
			h.Words()
		}
		return time.Since(start), nil
	}
}

// differ is a program that compares two files, and what it does to start only.
type differ struct {
	name, shown   string
	compare, idle command
}

// differ writes two texts into files and returns the programs that compare them.
func (b bench) differ(id string, before, after []string) ([]differ, error) {
	files := [2]string{filepath.Join(b.dir, id+".before"), filepath.Join(b.dir, id+".after")}
	for i, lines := range [][]string{before, after} {
		if err := os.WriteFile(files[i], []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	var found []differ
	for _, d := range []struct {
		name, shown string
		args        []string
	}{
		{"diff", "diff -u", []string{"diff", "-u"}},
		{"git", "git diff --histogram --word-diff", []string{"git", "diff", "--no-index", "--histogram", "--word-diff"}},
	} {
		if !has(d.name) {
			continue
		}
		compare := command{argv: append(d.args, files[0], files[1]), dir: b.dir, exit: 1, env: []string{"HOME=" + b.dir, "GIT_PAGER=cat"}}
		idle := compare
		idle.argv, idle.exit = []string{d.name, "--version"}, 0
		found = append(found, differ{d.name, d.shown, compare, idle})
	}
	return found, nil
}

// whole times the program from its start to its end.
func (d differ) whole() contender {
	return contender{name: d.name, shown: d.shown, command: func(int) (command, error) { return d.compare, nil }}
}

// withoutStart times the program and takes off what it needs to start.
func (d differ) withoutStart() contender {
	return contender{name: d.name + ", less its start", shown: d.shown, time: func(ctx context.Context, _ int) (time.Duration, error) {
		idle, err := d.idle.run(ctx)
		if err != nil {
			return 0, err
		}
		took, err := d.compare.run(ctx)
		return max(took-idle, time.Microsecond), err // a moment at least: 0 means that there is no peer
	}}
}
