package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"toolcrib/registry"
	"toolcrib/review/overlap"
	"toolcrib/store/engine"
)

// Thresholds of Alike. A text that shares less than two fifths of its
// shingles with another reads as a different one; purposes are a few words
// each and are often somewhat alike.
const (
	leastText    = 0.4
	leastPurpose = 0.55
	mostAlike    = 20 // candidates of each sort
)

// Alike implements review.RegistryReader.
func (s *session) Alike(ctx context.Context, t *overlap.Fingerprint) ([]registry.Live, error) {
	text, purpose := t.Sketches()
	var tail sketches
	if err := s.findSketches(ctx, text, purpose, &tail); err != nil {
		return nil, err
	}
	var byText, byPurpose []overlap.Match
	var scans sync.WaitGroup
	scans.Go(func() { byPurpose = scan(s.sketches.purpose, tail.purpose, purpose, leastPurpose) })
	byText = scan(s.sketches.text, tail.text, text, leastText)
	scans.Wait()
	candidates := slices.Concat(byText, byPurpose)
	var alike []registry.Live
	seen := map[int64]bool{}
	for _, c := range candidates {
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		// A version that is not live any more finds nothing.
		found, err := s.live(ctx, liveFrom+"WHERE v.seq = $1", c.ID)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if l.Refused == nil {
				alike = append(alike, l)
			}
		}
	}
	return alike, nil
}

// scan returns what in two indexes may be like a sketch, the likeliest first.
func scan(known, tail overlap.Index, s overlap.Sketch, least float64) []overlap.Match {
	matches := slices.Concat(known.Scan(s, least, mostAlike), tail.Scan(s, least, mostAlike))
	slices.SortStableFunc(matches, func(x, y overlap.Match) int { return -cmp.Compare(x.Estimate, y.Estimate) })
	return matches[:min(len(matches), mostAlike)]
}

// findSketches loads into tail all sketches that may be similar to text and
// purpose. The first lookup of a process, often its only one, has the engine
// compare the blocks where it can, and keeps only near sketches. A later lookup
// keeps the blocks.
func (s *session) findSketches(ctx context.Context, text, purpose overlap.Sketch, tail *sketches) error {
	read := s.readSketches
	if !s.sketches.looked && s.engine.HasNear() {
		s.sketches.looked = true
		read = func(ctx context.Context, tail *sketches) error { return s.nearSketches(ctx, text, purpose, tail) }
	}
	if err := read(ctx, tail); err != nil {
		return err
	}
	return s.recentSketches(ctx, tail)
}

// readSketches takes the blocks that became complete into the session, and the
// last one, which still grows, into tail.
func (s *session) readSketches(ctx context.Context, tail *sketches) error {
	blocks, err := all(ctx, s, scanSketched, "SELECT block, text, purpose FROM sketches WHERE block >= $1 ORDER BY block", s.sketches.next)
	if err != nil {
		return err
	}
	for i, b := range blocks {
		into := &s.sketches
		if i == len(blocks)-1 {
			into = tail
		} else {
			s.sketches.next = b.seq + 1
		}
		if err := errors.Join(into.text.Load(b.text), into.purpose.Load(b.purpose)); err != nil {
			return err
		}
	}
	return nil
}

// nearSketches adds the sketches of all blocks near text and purpose to tail.
func (s *session) nearSketches(ctx context.Context, text, purpose overlap.Sketch, tail *sketches) error {
	return s.engine.Near(ctx, s.Conn, engine.Nearness{Text: text, LeastText: leastText, Purpose: purpose, LeastPurpose: leastPurpose, Most: mostAlike},
		func(text, purpose []byte) error { return errors.Join(tail.text.Load(text), tail.purpose.Load(purpose)) })
}

// recentSketches takes the rows of recent sketches into tail.
func (s *session) recentSketches(ctx context.Context, tail *sketches) error {
	recent, err := all(ctx, s, scanSketched, "SELECT seq, text, purpose FROM recent_sketches ORDER BY seq")
	if err != nil {
		return err
	}
	var text, purpose []byte
	for _, sk := range recent {
		text, purpose = append(text, sk.text...), append(purpose, sk.purpose...)
	}
	return errors.Join(tail.text.Load(text), tail.purpose.Load(purpose))
}
