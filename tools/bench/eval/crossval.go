package main

import (
	"hash/fnv"
	"math"
	"sync"

	"toolcrib/review/rules/wording"
)

// folds is how many parts the sources are dealt into. Each part is scored by a table
// that was learned from the others.
const folds = 5

func foldOf(source string) int {
	h := fnv.New32a()
	h.Write([]byte("part " + source))
	return int(h.Sum32() % folds)
}

// study is the outcome of cross-validation over the examples of one kind, tools
// or prompts.
type study struct {
	prompt bool
	list   []*example
	scores map[*example]tops // by a table that has not seen the source
	tables [folds]*wording.Learned
	table  *wording.Learned // learned from all
}

// studyOf learns a table for each fold and one from all examples. Those that
// neverLearned holds for are in none.
func studyOf(all []*example, prompt bool) *study {
	s := &study{prompt: prompt, scores: map[*example]tops{}}
	var learned []*example
	for _, e := range all {
		if e.prompt != prompt {
			continue
		}
		s.list = append(s.list, e)
		if !e.neverLearned() {
			learned = append(learned, e)
		}
	}
	var wait sync.WaitGroup
	for k := range folds {
		wait.Go(func() {
			var rest []*example
			for _, e := range learned {
				if foldOf(e.source) != k {
					rest = append(rest, e)
				}
			}
			s.tables[k] = learn(rest)
		})
	}
	s.table = learn(learned)
	wait.Wait()
	for _, e := range s.list {
		s.scores[e] = best(s.unaware(e.sample), e)
	}
	return s
}

// unaware returns a table that was not learned from the source of x.
func (s *study) unaware(x *sample) *wording.Learned {
	if x.neverLearned() {
		return s.table
	}
	return s.tables[foldOf(x.source)]
}

// neverLearned reports whether e belongs to a set that is only measured.
func (s *sample) neverLearned() bool { return s.measured || s.set == unseen }

// reached returns the fraction of the examples accepted by want that are found at the threshold at. With bySource, it is
// the mean of the fractions of all sources; sources with few examples count as one source.
func (s *study) reached(want func(*example) bool, at float64, bySource bool) float64 {
	return s.share(want, bySource, func(e *example) bool { return e.certain || s.scores[e].reach(at+e.margin, s.table.WithFrame) })
}

// share returns the fraction of the examples accepted by want that found accepts as well. bySource is that of reached.
func (s *study) share(want func(*example) bool, bySource bool, found func(*example) bool) float64 {
	counts := map[string][2]int{}
	for _, e := range s.list {
		if !want(e) {
			continue
		}
		source := ""
		if bySource {
			source = e.source
		}
		n := counts[source]
		n[0]++
		if found(e) {
			n[1]++
		}
		counts[source] = n
	}
	sum, sources, few := 0.0, 0, [2]int{}
	for _, n := range counts {
		if bySource && n[0] < fewRows {
			few[0], few[1] = few[0]+n[0], few[1]+n[1]
			continue
		}
		sum += float64(n[1]) / float64(n[0])
		sources++
	}
	if few[0] > 0 {
		sum += float64(few[1]) / float64(few[0])
		sources++
	}
	return sum / math.Max(1, float64(sources))
}

// The kinds of examples that thresholds and curves are about.
func plainHonest(e *example) bool { return e.set == "honest tools" || e.set == "honest prompts" }

func seenHonest(e *example) bool {
	return e.set == "honest tools, seen" || e.set == "honest prompts, seen"
}
func awayHonest(e *example) bool { return e.away() && !e.attack }
func longHonest(e *example) bool { return plainHonest(e) && e.size > longPrompt }
func hardLine(e *example) bool   { return e.hard }
func nearMiss(e *example) bool   { return e.own && !e.attack && e.set != unseen }
func ownAttack(e *example) bool  { return e.own && e.attack && e.set != unseen }

// inSet returns the examples of a labelled set.
func inSet(name string) func(*example) bool {
	return func(e *example) bool { return e.set == name }
}

// readable limits want to the samples that may be read while working on the rules.
func readable(want func(*example) bool) func(*example) bool {
	return func(e *example) bool { return want(e) && e.half == tune }
}
