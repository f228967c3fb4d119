package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// proven is the precision that the frames of a rule need on sources that their
// authors have not seen in order to warn by themselves.
const proven = 0.9

// away reports whether e is used to measure the precision of frames: an attack, or an honest sample outside of the
// families that frames were written against. It includes the honest half that the authors have read, because a frame
// that still fires there is no better than one that fires in the other half. It excludes samples reserved for the final
// measurement.
func (e *example) away() bool {
	switch {
	case e.own || e.hard:
		return false
	case e.measured:
		return !e.attack && e.half == tune
	}
	return e.attack || plainHonest(e) || e.half == held
}

// awayRows counts samples for which away holds, the honest ones by source.
type awayRows struct {
	attacks int
	honest  map[string]int
}

func (r *awayRows) add(e *example) {
	if e.attack {
		r.attacks++
		return
	}
	if r.honest == nil {
		r.honest = map[string]int{}
	}
	r.honest[e.source]++
}

// share returns the share of r among all honest samples, averaged over sources; small sources are treated as one.
func (r *awayRows) share(all awayRows) float64 {
	sum, sources, few, fewOf := 0.0, 0, 0, 0
	for source, n := range all.honest {
		if n < fewRows {
			few, fewOf = few+r.honest[source], fewOf+n
			continue
		}
		sum += float64(r.honest[source]) / float64(n)
		sources++
	}
	if fewOf > 0 {
		sum += float64(few) / float64(fewOf)
		sources++
	}
	return sum / math.Max(1, float64(sources))
}

// precision returns the share of attacks in r, normalized as if the collections of honest texts and attacks had the
// same size.
func (r *awayRows) precision(all awayRows) float64 {
	attacks, honest := float64(r.attacks)/math.Max(1, float64(all.attacks)), r.share(all)
	if attacks+honest == 0 {
		return 0
	}
	return attacks / (attacks + honest)
}

// printFrames prints the rules whose frames may warn regardless of the table's score.
func (s *study) printFrames(out io.Writer) {
	all, fits := awayRows{}, map[string]*awayRows{}
	for _, e := range s.list {
		if !e.away() {
			continue
		}
		all.add(e)
		for rule := range s.scores[e].framed {
			if fits[rule] == nil {
				fits[rule] = &awayRows{}
			}
			fits[rule].add(e)
		}
	}
	fmt.Fprintf(out, "\n%-10s %8s %8s %8s %10s\n", "frame", "honest", "sources", "attacks", "precision")
	for _, rule := range slices.Sorted(maps.Keys(fits)) {
		r := fits[rule]
		verdict := "the table must agree"
		if r.precision(all) >= proven {
			verdict = "passes"
		}
		fmt.Fprintf(out, "%-10s %7.2f%% %8d %7.2f%% %9.1f%%  %s\n", rule, 100*r.share(all), len(r.honest), percent(r.attacks, all.attacks), 100*r.precision(all), verdict)
	}
}
