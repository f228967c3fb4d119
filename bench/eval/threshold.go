package main

import (
	"maps"
	"math"
	"sort"
)

// limits are the parts of each kind of honest sample that may be told of, by tables
// that have not seen their source: of those of others, as a mean over sources, of
// their long prompts, of those that frames were written against (among them many
// that look like attacks), of the lines that do, and of our own near-misses. The
// bars are higher: 2 % of tools and 3.5 % of prompts.
type limits struct{ honest, long, seen, hard, near float64 }

// shareOfRule is the share of the honest samples, as a mean over sources, that a
// rule may find because its frame fits.
const shareOfRule = 0.0005

// floors are the scores below which no frame warns, of which the best is taken. That
// no honest text of ours meets a rule does not prove that none does.
var floors = []float64{0, -1, -2, -3}

// steps of a threshold that are tried.
const (
	highest = 12.0
	stride  = 0.05
)

// thresholds finds the score from which a frame warns, for each rule, and the score
// from which a sentence warns without one: of the lowest that keep the limits,
// those that find most attacks.
func (s *study) thresholds(most limits) {
	found, at := -1.0, highest
	var with map[string]float32
	for _, floor := range floors {
		s.table.WithFrame = s.withFrames(floor)
		low := s.least(most)
		now := s.reached(ownAttack, low, true) + s.reached(inSet("explicit"), low, false) + s.reached(inSet("malicious prompts"), low, false)
		if low < highest && now > found {
			found, at, with = now, low, s.table.WithFrame
		}
	}
	for _, t := range append(s.tables[:], s.table) {
		t.Threshold, t.WithFrame = float32(at), with
	}
}

// withFrames returns for each rule the lowest score, not below floor, from which it
// stays within its share.
func (s *study) withFrames(floor float64) map[string]float32 {
	with := map[string]float32{}
	for _, e := range s.list {
		for rule := range s.scores[e].framed {
			with[rule] = 0
		}
	}
	for rule := range maps.Clone(with) {
		at := lowest(floor, func(at float64) bool {
			return s.share(plainHonest, true, func(e *example) bool { v, ok := s.scores[e].framed[rule]; return ok && v >= at }) <= shareOfRule
		})
		with[rule] = float32(at)
	}
	return with
}

// least is the lowest threshold without a frame that keeps the limits.
func (s *study) least(most limits) float64 {
	return lowest(-highest, func(at float64) bool {
		return s.reached(plainHonest, at, true) <= most.honest && s.reached(longHonest, at, true) <= most.long && s.reached(seenHonest, at, true) <= most.seen &&
			s.reached(hardLine, at, false) <= most.hard && s.reached(nearMiss, at, false) <= most.near
	})
}

// lowest returns the lowest score, not below floor, at which holds holds; it holds
// above each at which it does.
func lowest(floor float64, holds func(at float64) bool) float64 {
	steps := int(math.Round((highest - floor) / stride))
	score := func(i int) float64 { return highest - stride*float64(i) }
	return score(sort.Search(steps, func(i int) bool { return !holds(score(i + 1)) }))
}
