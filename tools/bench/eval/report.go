package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// longPrompt is the size, in bytes, from which prompts have a separate row.
const longPrompt = 20 << 10

// rate counts samples by source.
type rate struct {
	rows, warned, blocked, skipped int
	bySource                       map[string]*[3]int
}

func (t *rate) add(r *result) {
	if t.bySource == nil {
		t.bySource = map[string]*[3]int{}
	}
	if r.draft == nil {
		t.skipped++
		return
	}
	n := t.bySource[r.source]
	if n == nil {
		n = &[3]int{}
		t.bySource[r.source] = n
	}
	t.rows++
	n[0]++
	if r.warned() {
		t.warned++
		n[1]++
	}
	if r.blocked() {
		t.blocked++
		n[2]++
	}
}

// fewRows is the number of rows below which sources are combined, because otherwise single rows would determine the
// result.
const fewRows = 5

// macro returns the means over the sources of the shares that are warned of (1)
// or blocked (2), in percent.
func (t *rate) macro(what int) float64 {
	sum, sources, small := 0.0, 0, [3]int{}
	for _, n := range t.bySource {
		if n[0] < fewRows {
			small[0] += n[0]
			small[what] += n[what]
			continue
		}
		sum += percent(n[what], n[0])
		sources++
	}
	if small[0] > 0 {
		sum += percent(small[what], small[0])
		sources++
	}
	return sum / float64(max(1, sources))
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) }

// rates sums results up by the names that key gives them; "" leaves one out.
func rates(results []result, key func(*result) string) map[string]*rate {
	m := map[string]*rate{}
	for i := range results {
		k := key(&results[i])
		if k == "" {
			continue
		}
		if m[k] == nil {
			m[k] = &rate{}
		}
		m[k].add(&results[i])
	}
	return m
}

// summary prints a line for each set: shares of rows, and means over sources.
func summary(results []result, out io.Writer) {
	fmt.Fprintf(out, "\n%-34s %6s %7s %8s %8s %9s %9s\n", "set", "rows", "sources", "warned", "blocked", "warned/s", "blocked/s")
	m := rates(results, func(r *result) string { return r.set })
	maps.Copy(m, rates(results, func(r *result) string {
		switch {
		case r.set == "honest prompts" && r.size > longPrompt:
			return "honest prompts above 20 KB"
		case r.measured && !r.attack && r.half == held:
			return r.set + ", not read"
		}
		return ""
	}))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		t := m[k]
		fmt.Fprintf(out, "%-34s %6d %7d %7.1f%% %7.1f%% %8.2f%% %8.2f%%", k, t.rows, len(t.bySource),
			percent(t.warned, t.rows), percent(t.blocked, t.rows), t.macro(1), t.macro(2))
		if t.skipped > 0 {
			fmt.Fprintf(out, "  (%d not importable)", t.skipped)
		}
		fmt.Fprintln(out)
	}
}

// classes prints the detection rate of each class of attack and of hard lines.
func classes(results []result, out io.Writer) {
	fmt.Fprintf(out, "\n%-62s %6s %8s %8s\n", "class", "rows", "warned", "blocked")
	m := rates(results, func(r *result) string {
		if !r.attack && !r.hard {
			return ""
		}
		return r.set + ": " + r.class
	})
	for _, k := range slices.Sorted(maps.Keys(m)) {
		t := m[k]
		fmt.Fprintf(out, "%-62s %6d %7.1f%% %7.1f%%\n", k, t.rows, percent(t.warned, t.rows), percent(t.blocked, t.rows))
	}
}

// precision prints which share of the blocked samples are attacks.
func precision(results []result, out io.Writer) {
	attacks, honest := 0, 0
	for i := range results {
		switch r := &results[i]; {
		case !r.blocked():
		case r.attack:
			attacks++
		default:
			honest++
		}
	}
	fmt.Fprintf(out, "\nof %d blocked samples, %.1f%% are attacks\n", attacks+honest, percent(attacks, attacks+honest))
}

// ruleRate has the rates of one rule alone.
type ruleRate struct {
	tools, prompts, attacks rate
}

// perRule prints, for each rule that warns or blocks, its share of honest third-party tools and prompts and of attacks,
// and its precision. It excludes texts that frames were written against, shipped definitions, and lines chosen because
// they resemble attacks.
func perRule(results []result, out io.Writer) {
	m := map[string]*ruleRate{}
	for _, r := range ruleset.All() {
		if f := r.Family(); f == "S" || f == "P" {
			m[r.ID] = &ruleRate{}
		}
	}
	for i := range results {
		r := &results[i]
		if !r.attack && r.set != "honest tools" && r.set != "honest prompts" {
			continue
		}
		for id, rr := range m {
			alone := result{sample: r.sample, worst: cmp.Or(r.byRule[id], rules.Off)}
			switch {
			case r.attack:
				rr.attacks.add(&alone)
			case r.prompt:
				rr.prompts.add(&alone)
			default:
				rr.tools.add(&alone)
			}
		}
	}
	fmt.Fprintf(out, "\n%-6s %14s %14s %14s %10s\n", "rule", "tools warn/blk", "prompts", "attacks", "precision")
	for _, id := range slices.Sorted(maps.Keys(m)) {
		rr := m[id]
		if rr.tools.warned+rr.prompts.warned+rr.attacks.warned == 0 {
			continue
		}
		fmt.Fprintf(out, "%-6s %6.2f%% %5.2f%% %6.2f%% %5.2f%% %6.2f%% %5.2f%% %9.1f%%\n", id, rr.tools.macro(1), rr.tools.macro(2), rr.prompts.macro(1), rr.prompts.macro(2),
			percent(rr.attacks.warned, rr.attacks.rows), percent(rr.attacks.blocked, rr.attacks.rows), percent(rr.attacks.warned, rr.attacks.warned+rr.tools.warned+rr.prompts.warned))
	}
}

// listFalseAlarms prints the findings in honest samples of the tune half. The texts of the other half remain unread.
func listFalseAlarms(results []result, out io.Writer) {
	for i := range results {
		r := &results[i]
		if r.attack || r.half != tune || !r.warned() {
			continue
		}
		fmt.Fprintf(out, "\n%s %s (%s)\n", r.set, r.id, r.class)
		for _, f := range r.found {
			if f.Severity.Rank() >= rules.Warn.Rank() {
				fmt.Fprintf(out, "    %s %s %s %s\n", f.Rule, f.Severity, f.Path, shown(f.Passage, 200))
			}
		}
	}
}

// shown returns the first characters of s in printable ASCII.
func shown(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + " ..."
	}
	return strconv.QuoteToASCII(s)
}
