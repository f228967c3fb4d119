package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"toolcrib/review/rules"
)

// parts is how many parts the sources of the half tune are dealt into, to find
// the threshold.
const parts = 3

func part(source string) int {
	h := fnv.New32a()
	h.Write([]byte("part " + source))
	return int(h.Sum32() % parts)
}

// teach learns the table for tools or prompts from the half tune and our own
// texts, finds its threshold by cross-validation over the sources of tune, and
// prints the trade-off on both halves.
func teach(all []*example, prompt bool, share float64, showHeld bool, out io.Writer) *rules.Learned {
	var learned, tried []*example
	for _, e := range all {
		switch {
		case e.prompt != prompt:
		case e.half == tune && !e.hard:
			learned = append(learned, e)
		}
		if e.prompt == prompt {
			tried = append(tried, e)
		}
	}
	scores := map[*example]tops{}
	var lock sync.Mutex
	var wait sync.WaitGroup
	for k := range parts {
		var rest []*example
		for _, e := range learned {
			if part(e.source) != k {
				rest = append(rest, e)
			}
		}
		wait.Go(func() {
			t := learn(rest)
			lock.Lock()
			defer lock.Unlock()
			for _, e := range learned {
				if part(e.source) == k {
					scores[e] = best(t, e)
				}
			}
		})
	}
	table := learn(learned)
	wait.Wait()
	for _, e := range tried {
		if _, ok := scores[e]; !ok {
			scores[e] = best(table, e)
		}
	}
	table.WithFrame = withFrames(tried, scores)
	at := least(tried, scores, share, func(s tops, t float64) bool { return s.reach(t, table.WithFrame, 0) })
	table.Threshold = float32(at)
	curve(tried, scores, table, showHeld, out)
	ownMechanisms(tried, scores, table, out)
	return table
}

// Shares of honest samples that a rule may report: of those of others, as a mean
// over sources, and of our own, which are close to attacks.
const (
	shareOfRule    = 0.0012
	ownShareOfRule = 0.004
)

// unproven is the least score with which a frame warns. That no honest text of the
// half tune meets a rule does not prove that none does.
const (
	unproven   = -0.5
	overriding = -4.0
)

// withFrames finds, for each rule, the lowest score from which it stays within
// its share of honest samples.
func withFrames(list []*example, scores map[*example]tops) map[string]float32 {
	fired := map[string]bool{}
	for _, e := range list {
		for rule := range scores[e].framed {
			fired[rule] = true
		}
	}
	with := map[string]float32{}
	for rule := range fired {
		reach := func(s tops, t float64) bool { v, ok := s.framed[rule]; return ok && v >= t }
		theirs := least(list, scores, shareOfRule, reach)
		ours := leastOf(list, scores, ownShareOfRule, reach, func(e *example) bool { return (e.own || e.hard) && !e.attack && e.half == tune }, false)
		floor := unproven
		if rule == "S101" && !list[0].prompt {
			floor = overriding // a tool has no business with other instructions
		}
		with[rule] = float32(max(theirs, ours, floor))
	}
	return with
}

// least is the lowest threshold at which at most the given share of the honest
// samples of tune is reported, as a mean over sources.
func least(list []*example, scores map[*example]tops, share float64, reach func(tops, float64) bool) float64 {
	return leastOf(list, scores, share, reach, func(e *example) bool { return plainHonest(e) && e.half == tune }, true)
}

func leastOf(list []*example, scores map[*example]tops, share float64, reach func(tops, float64) bool, want func(*example) bool, bySource bool) float64 {
	var some []*example
	for _, e := range list {
		if want(e) {
			some = append(some, e)
		}
	}
	at := 8.0
	for at > -8 {
		next := at - 0.05
		if reported(some, scores, func(*example) bool { return true }, func(s tops) bool { return reach(s, next) }, bySource) > share {
			break
		}
		at = next
	}
	return at
}

// plainHonest reports whether e is of an honest set that no frame was made from.
func plainHonest(e *example) bool { return e.set == "honest tools" || e.set == "honest prompts" }

// reported is the share of the samples that want holds for whose scores reach, as a
// mean over sources.
func reported(list []*example, scores map[*example]tops, want func(*example) bool, reach func(tops) bool, macro bool) float64 {
	bySource := map[string][2]int{}
	for _, e := range list {
		if !want(e) {
			continue
		}
		source := e.source
		if !macro {
			source = ""
		}
		n := bySource[source]
		n[0]++
		if reach(scores[e]) {
			n[1]++
		}
		bySource[source] = n
	}
	sum := 0.0
	for _, n := range bySource {
		sum += float64(n[1]) / float64(n[0])
	}
	return sum / float64(max(1, len(bySource)))
}

// curve prints what is reported over a range of thresholds.
func curve(list []*example, scores map[*example]tops, t *rules.Learned, showHeld bool, out io.Writer) {
	type column struct {
		title string
		want  func(*example) bool
	}
	columns := []column{
		{"honest tune", func(e *example) bool { return plainHonest(e) && e.half == tune }},
		{"> 20 KB", func(e *example) bool { return plainHonest(e) && e.half == tune && e.size > longPrompt }},
		{"seen", func(e *example) bool { return !e.attack && e.half == tune && !plainHonest(e) && !e.own && !e.hard }},
		{"hard", func(e *example) bool { return e.hard && e.half == tune }},
		{"explicit", func(e *example) bool { return e.set == "explicit" && e.half == tune }},
		{"own", func(e *example) bool { return e.own && e.attack }},
		{"own honest", func(e *example) bool { return e.own && !e.attack }},
	}
	if showHeld {
		columns = append(columns,
			column{"honest held", func(e *example) bool { return plainHonest(e) && e.half == held }},
			column{"explicit", func(e *example) bool { return e.set == "explicit" && e.half == held }},
			column{"disguised", func(e *example) bool { return e.set == "disguised" }},
			column{"mechanism", func(e *example) bool { return e.set == "by mechanism" }},
			column{"malicious", func(e *example) bool { return e.set == "malicious prompts" }},
		)
	}
	fmt.Fprintf(out, "\nthreshold %.2f, with a frame %v\n%9s", t.Threshold, t.WithFrame, "moved by")
	for _, c := range columns {
		fmt.Fprintf(out, " %11s", c.title)
	}
	fmt.Fprintln(out)
	for d := -2.0; d <= 2; d += 0.25 {
		fmt.Fprintf(out, "%9.2f", d)
		for _, c := range columns {
			fmt.Fprintf(out, " %10.1f%%", 100*reported(list, scores, c.want, func(s tops) bool { return s.reach(float64(t.Threshold), t.WithFrame, d) }, true))
		}
		if d == 0 {
			fmt.Fprintf(out, "  chosen")
		}
		fmt.Fprintln(out)
	}
}

// ownMechanisms prints how many of our own attacks of each mechanism are found by
// a table that has not seen their source, and how many of the near-misses.
func ownMechanisms(list []*example, scores map[*example]tops, t *rules.Learned, out io.Writer) {
	counts := map[string]*[4]int{}
	for _, e := range list {
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
		if scores[e].reach(float64(t.Threshold), t.WithFrame, 0) {
			n[at+1]++
		}
	}
	fmt.Fprintf(out, "\n%-24s %14s %14s\n", "own", "attacks found", "near-misses")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		fmt.Fprintf(out, "%-24s %5d %7.1f%% %5d %7.1f%%\n", name, n[0], percent(n[1], n[0]), n[2], percent(n[3], n[2]))
	}
}

// teachAll learns both tables and writes them into the package of the rules.
func teachAll(o options, samples []sample, out io.Writer) error {
	repo := repository()
	own, err := ownSamples(repo)
	if err != nil {
		return err
	}
	var list []*sample
	for i := range samples {
		list = append(list, &samples[i])
	}
	all := examples(list, own)
	slices.SortStableFunc(all, func(a, b *example) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.source, b.source)) })
	for _, kind := range []struct {
		file   string
		prompt bool
		share  float64
	}{{"learned_tools.bin", false, o.tools}, {"learned_prompts.bin", true, o.prompts}} {
		fmt.Fprintf(out, "\n%s\n", kind.file)
		t := teach(all, kind.prompt, kind.share/100, o.held, out)
		if o.write {
			if err := os.WriteFile(filepath.Join(repo, "review", "rules", kind.file), t.Bytes(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// repository returns the root of the repository that the program is run in,
// the working directory when it is run in none.
func repository() string {
	at, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return "."
}
