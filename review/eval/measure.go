package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/review/rules"
)

// files are measured in this order.
var files = []struct {
	name      string
	malicious bool
}{
	{"malicious_tools.jsonl", true},
	{"derived_obfuscated_tools.jsonl", true},
	{"malicious_prompts.jsonl", true},
	{"benign_tools.jsonl", false},
	{"benign_change_pairs.jsonl", false},
	{"benign_prompts.jsonl", false},
}

// tally counts the rows of one group.
type tally struct{ rows, info, warned, blocked int }

func (t *tally) add(worst rules.Severity) {
	t.rows++
	if worst.Rank() >= rules.Info.Rank() {
		t.info++
	}
	if worst.Rank() >= rules.Warn.Rank() {
		t.warned++
	}
	if worst.Rank() >= rules.Block.Rank() {
		t.blocked++
	}
}

func measure(ctx context.Context, set rules.Set, dir string, quiet bool, out io.Writer) error {
	fmt.Fprintf(out, "%-34s %-34s %5s %8s %8s %8s\n", "file", "group", "rows", "warned", "blocked", "info")
	var lists strings.Builder
	for _, f := range files {
		rows, err := load(dir, f.name)
		if err != nil {
			return err
		}
		groups := map[string]*tally{}
		count := func(group string, worst rules.Severity) {
			if groups[group] == nil {
				groups[group] = &tally{}
			}
			groups[group].add(worst)
		}
		for _, r := range rows {
			found, err := set.CheckFamilies(ctx, r.change(), "SP")
			if err != nil {
				return fmt.Errorf("%s: %w", r.ID, err)
			}
			worst := rules.Off
			if len(found) > 0 {
				worst = found[0].Severity
			}
			count(" all", worst)
			count("class "+r.class(), worst)
			count("source "+r.Source.Repo, worst)
			if caught := worst.Rank() >= rules.Warn.Rank(); caught != f.malicious {
				list(&lists, f.name, r, found)
			}
		}
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			t := groups[group]
			fmt.Fprintf(out, "%-34s %-34s %5d %7.1f%% %7.1f%% %7.1f%%\n", f.name, strings.TrimSpace(group), t.rows,
				percent(t.warned, t.rows), percent(t.blocked, t.rows), percent(t.info, t.rows))
		}
	}
	if !quiet {
		fmt.Fprintf(out, "\nmisses and false alarms\n%s", lists.String())
	}
	return nil
}

// list adds a row that came out wrong, its text escaped.
func list(b *strings.Builder, file string, r row, found []rules.Finding) {
	fmt.Fprintf(b, "%s %s (%s)\n", strings.TrimSuffix(file, ".jsonl"), r.ID, r.class())
	if len(found) == 0 || found[0].Severity.Rank() < rules.Warn.Rank() {
		fmt.Fprintf(b, "    %s\n", shown(r.text(), 400))
		return
	}
	for _, f := range found[:min(len(found), 3)] {
		if f.Severity.Rank() >= rules.Warn.Rank() {
			fmt.Fprintf(b, "    %s %s %s %s\n", f.Rule, f.Severity, f.Path, shown(f.Passage, 200))
		}
	}
}

func (r row) text() string {
	switch {
	case r.Tool != nil:
		return r.Tool.Name + ": " + r.Tool.Description + " " + string(r.Tool.InputSchema)
	case r.After != nil:
		return r.After.Name + ": " + r.After.Description
	}
	return r.Text
}

// shown returns the first characters of s in printable ASCII.
func shown(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + " ..."
	}
	return strconv.QuoteToASCII(s)
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) }
