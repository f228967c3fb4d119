package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// shares are the parts of the honest samples, in percent, that the curve is drawn
// at.
var shares = []float64{0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 10}

// curve prints detection rates over a range of false positive rates, with tables that were not trained on the source.
// Unless all is set, it omits the less interesting half.
func (s *study) curve(all bool, out io.Writer) {
	type column struct {
		title string
		want  func(*example) bool
		macro bool
	}
	columns := []column{
		{"away", awayHonest, true},
		{"> 20 KB", longHonest, true},
		{"hard", hardLine, false},
		{"near-miss", nearMiss, false},
		{"own", ownAttack, true},
		{"unseen", func(e *example) bool { return e.set == unseen && e.attack }, false},
		{"explicit", inSet("explicit"), false},
		{"disguised", inSet("disguised"), false},
		{"malicious", inSet("malicious prompts"), false},
	}
	honest := plainHonest
	if all {
		columns = append(columns, column{"mechanism", inSet("by mechanism"), false})
	} else {
		honest = readable(honest)
		for i := range columns {
			columns[i].want = readable(columns[i].want)
		}
	}
	fmt.Fprintf(out, "threshold %.2f, with a frame %v\n%7s %9s", s.table.Threshold, s.table.WithFrame, "honest", "threshold")
	for _, c := range columns {
		fmt.Fprintf(out, " %9s", c.title)
	}
	fmt.Fprintln(out)
	row := func(share, at float64, note string) {
		fmt.Fprintf(out, "%6.2f%% %9.2f", share, at)
		for _, c := range columns {
			fmt.Fprintf(out, " %8.1f%%", 100*s.reached(c.want, at, c.macro))
		}
		fmt.Fprintln(out, note)
	}
	for _, share := range shares {
		row(share, lowest(-highest, func(at float64) bool { return s.reached(honest, at, true) <= share/100 }), "")
	}
	at := float64(s.table.Threshold)
	row(100*s.reached(honest, at, true), at, "  chosen")
}

// mechanisms prints how many of our own attacks of each mechanism are found by
// tables that have not seen their source, and how many of the near-misses.
func (s *study) mechanisms(out io.Writer) {
	counts := map[string]*[4]int{}
	for _, e := range s.list {
		if !e.own {
			continue
		}
		name := e.class
		if name == "" {
			name = "(testdata)"
		}
		n := counts[name]
		if n == nil {
			n = &[4]int{}
			counts[name] = n
		}
		at := 0
		if !e.attack {
			at = 2
		}
		n[at]++
		if e.certain || s.scores[e].reach(float64(s.table.Threshold)+e.margin, s.table.WithFrame) {
			n[at+1]++
		}
	}
	fmt.Fprintf(out, "\n%-24s %14s %14s\n", "own", "attacks found", "near-misses")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		fmt.Fprintf(out, "%-24s %5d %7.1f%% %5d %7.1f%%\n", name, n[0], percent(n[1], n[0]), n[2], percent(n[3], n[2]))
	}
}
