package main

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"toolcrib/review/rules/rulebook"
)

// limits are the maximum shares of each kind of honest sample with a finding, for tables that were not trained on their
// source: third-party samples averaged over sources, samples that the authors of the frames have not read, long prompts
// of these, samples that frames were written against (many of which resemble attacks), lines that resemble attacks, and
// our own near-misses.
type limits struct{ honest, long, seen, hard, near float64 }

// shareOfRule is the share of the honest samples, as a mean over the sources that
// neither the table nor the authors of the frames have seen, that a rule may find
// because its frame fits, however few attacks it finds: in tools alone. In prompts forty
// such rules would take half of the false alarms and find hardly an attack.
const shareOfRule = 0.0005

// shareOfComplete is the same for frames that have all parts of an attack, which
// weigh more when they are missed.
const shareOfComplete = 0.0015

// steps of a threshold that are tried, and the score below which no frame warns.
const (
	highest = 12.0
	floor   = -3.0
	stride  = 0.05
)

// thresholds finds the score from which a frame warns, for each rule, and the score
// from which a sentence warns without one. It asks of the frames one precision after
// the other, and takes those thresholds that keep the limits and find most attacks.
func (s *study) thresholds(most limits) {
	found, at := -1.0, highest
	var with map[string]float32
	for _, precision := range []float64{0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1} {
		s.table.WithFrame = s.withFrames(precision)
		low := s.least(most)
		now := s.reached(ownAttack, low, true) + s.reached(inSet("explicit"), low, true) + s.reached(inSet("malicious prompts"), low, false)
		if low < highest && now > found {
			found, at, with = now, low, s.table.WithFrame
		}
	}
	for _, t := range append(s.tables[:], s.table) {
		t.Threshold, t.WithFrame = float32(at), with
	}
}

// fit is a sample with a matching frame, and its highest score.
type fit struct {
	score float64
	*example
}

// withFrames returns for each rule the lowest score from which its frames can be
// trusted: they have the given precision, or are hardly ever found in honest texts.
func (s *study) withFrames(precision float64) map[string]float32 {
	fits := map[string][]fit{}
	rows := awayRows{}
	for _, e := range s.list {
		for rule, score := range s.scores[e].framed {
			fits[rule] = append(fits[rule], fit{score, e})
		}
		if e.away() {
			rows.add(e)
		}
	}
	with := map[string]float32{}
	for rule, list := range fits {
		share := shareOfRule
		if s.prompt {
			share = 0
		}
		if strings.HasSuffix(rule, rulebook.CompleteMark) {
			share = shareOfComplete
		}
		with[rule] = float32(trustedFrom(list, rows, precision, share))
	}
	return with
}

// trustedFrom returns the lowest score from which the samples in list that a rule
// finds are attacks often enough, or a smaller share of the honest ones than share.
func trustedFrom(list []fit, rows awayRows, precision, share float64) float64 {
	list = slices.DeleteFunc(slices.Clone(list), func(f fit) bool { return !f.away() })
	slices.SortFunc(list, func(a, b fit) int { return cmp.Compare(b.score, a.score) })
	at, seen := highest, awayRows{}
	for i, f := range list {
		seen.add(f.example)
		if i+1 < len(list) && list[i+1].score == f.score {
			continue
		}
		if seen.precision(rows) >= precision || seen.share(rows) <= share {
			at = f.score
			if i+1 == len(list) {
				return floor
			}
		}
	}
	if len(list) == 0 {
		return floor
	}
	return max(floor, math.Floor(at/stride)*stride)
}

// least is the lowest threshold without a frame that keeps the limits.
func (s *study) least(most limits) float64 {
	return lowest(-highest, func(at float64) bool {
		return s.reached(plainHonest, at, true) <= most.honest && s.reached(awayHonest, at, true) <= most.honest && s.reached(longHonest, at, true) <= most.long &&
			s.reached(seenHonest, at, true) <= most.seen && s.reached(hardLine, at, false) <= most.hard && s.reached(nearMiss, at, false) <= most.near
	})
}

// lowest returns the lowest score, not below from, at which holds holds; it holds
// above each at which it does.
func lowest(from float64, holds func(at float64) bool) float64 {
	steps := int(math.Round((highest - from) / stride))
	score := func(i int) float64 { return highest - stride*float64(i) }
	return score(sort.Search(steps, func(i int) bool { return !holds(score(i + 1)) }))
}
