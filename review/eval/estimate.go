package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"toolcrib/review/rules"
)

// falseAlarms is the share of honest definitions of unseen sources that S139
// may warn of.
const falseAlarms = 0.01

// estimate prints what S139 does with sources and voices it was not learned
// from, at the threshold of the table in the rules.
func (h heldOut) estimate(at float64, misses bool, out io.Writer) {
	fmt.Fprintf(out, "\ncross-validated in %d parts: tables for S139 learned without the sources (or, of testdata, the files) they are tried on, threshold %.2f\n", folds, at)
	fmt.Fprintf(out, "%-34s %-34s %5s %8s %8s %8s\n", "", "", "rows", "others", "S139", "together")
	groups := map[string]*counts{}
	count := func(name string, e *example, t rules.SignTable) {
		if groups[name] == nil {
			groups[name] = &counts{}
		}
		groups[name].add(e.other, best(t, e.signs) >= at)
	}
	honest := h.honest()
	for i := range honest {
		count("honest definitions of servers", &honest[i], h.bySource[fold(honest[i].group)])
	}
	for i := range h.rows {
		if e := &h.rows[i]; e.attack {
			count("malicious tools", e, h.bySource[fold(e.group)])
		}
	}
	for i := range h.own {
		e := &h.own[i]
		switch {
		case e.attack:
			count("testdata/attacks", e, h.byFile[e.part()])
			count("testdata/attacks/"+e.group, e, h.byFile[e.part()])
		default:
			count("testdata/benign", e, h.byFile[e.part()])
		}
	}
	if misses {
		h.misses(at, out)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		c := groups[name]
		fmt.Fprintf(out, "%-34s %-34s %5d %7.1f%% %7.1f%% %7.1f%%\n", name, "", c.rows, percent(c.others, c.rows), percent(c.signs, c.rows), percent(c.both, c.rows))
	}
}

// counts says how many definitions the other rules, S139, and either warn of.
type counts struct{ rows, others, signs, both int }

func (c *counts) add(others, signs bool) {
	c.rows++
	if others {
		c.others++
	}
	if signs {
		c.signs++
	}
	if others || signs {
		c.both++
	}
}

// misses lists the attacks of testdata that are not found by rules besides
// S139, with what a table that never saw their file gives them, and the honest
// definitions that are warned of.
func (h heldOut) misses(at float64, out io.Writer) {
	fmt.Fprintln(out, "\nhonest definitions that S139 (+) or another rule (!) would warn of")
	for _, e := range h.honest() {
		score := best(h.bySource[fold(e.group)], e.signs)
		if e.other {
			fmt.Fprintf(out, "! %5.2f %s: %s\n", score, e.group, e.text)
		} else if score >= at {
			fmt.Fprintf(out, "+ %5.2f %s: %s\n", score, e.group, e.text)
		}
	}
	fmt.Fprintln(out, "\nattacks of testdata that only S139 finds (+), or none (-)")
	for i := range h.own {
		if e := &h.own[i]; e.attack && !e.other {
			score, mark := best(h.byFile[e.part()], e.signs), "-"
			if score >= at {
				mark = "+"
			}
			fmt.Fprintf(out, "%s %5.2f %s: %s\n", mark, score, e.group, shown(e.text, 300))
		}
	}
}
