package main

import (
	"context"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"toolcrib/review/rules"
)

// folds is how many parts the sources, and our own files, are dealt into.
const folds = 6

// fold deals names into parts.
func fold(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % folds)
}

// best is the score of the most telling sentence.
func best(t rules.SignTable, signs []rules.Sign) float64 {
	top := math.Inf(-1)
	for _, s := range signs {
		top = max(top, t.Score(s))
	}
	return top
}

// warnsWithout reports whether a rule of S or P other than S139 warns of c.
func warnsWithout(ctx context.Context, set rules.Set, c *rules.Change) (bool, error) {
	found, err := set.CheckFamilies(ctx, c, "SP")
	return slices.ContainsFunc(found, func(f rules.Finding) bool {
		return f.Rule != "S139" && f.Severity.Rank() >= rules.Warn.Rank()
	}), err
}

// heldOut is a material with, for each part, a table learned without the
// sources in it, and one learned without our files in it.
type heldOut struct {
	material
	bySource, byFile []rules.SignTable
}

// part says in which part an example of ours is held out: attacks by file,
// since a file has one voice, and honest texts by line, since all voices are
// wanted of them.
func (e *example) part() int {
	if e.attack {
		return fold(e.group)
	}
	return fold(e.text)
}

func (m material) holdOut() heldOut {
	h := heldOut{m, make([]rules.SignTable, folds), make([]rules.SignTable, folds)}
	var wait sync.WaitGroup
	for f := range folds {
		wait.Go(func() {
			keep := slices.Clone(m.own)
			for _, e := range m.rows {
				if fold(e.group) != f {
					keep = append(keep, e)
				}
			}
			h.bySource[f] = learn(keep)
		})
		wait.Go(func() {
			keep := slices.Clone(m.rows)
			for _, e := range m.own {
				if e.part() != f {
					keep = append(keep, e)
				}
			}
			h.byFile[f] = learn(keep)
		})
	}
	wait.Wait()
	return h
}

// threshold is the score that so many of the honest definitions of unseen
// sources reach, as a share of them.
func (h heldOut) threshold(share float64) float64 {
	var scores []float64
	for _, e := range h.honest() {
		scores = append(scores, best(h.bySource[fold(e.group)], e.signs))
	}
	if len(scores) == 0 {
		return math.Inf(1)
	}
	slices.Sort(scores)
	slices.Reverse(scores)
	return math.Ceil(100*scores[int(share*float64(len(scores)))]) / 100
}

// honest lists the honest definitions of servers in use, each once.
func (h heldOut) honest() []example {
	seen := map[string]bool{}
	var list []example
	for _, e := range h.rows {
		key := ""
		for _, s := range e.signs {
			key += s.Text + "\n"
		}
		if !e.attack && !seen[key] {
			seen[key] = true
			list = append(list, e)
		}
	}
	return list
}
