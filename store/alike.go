package store

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"

	"modernc.org/sqlite"

	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// What Alike looks for. A text that shares less than two fifths of its
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

// findSketches makes the session, with tail, know all sketches that may be like
// text and purpose. What is looked for first is all that most processes look
// for: for it the blocks are held against it where the engine has them, and only
// what is near is kept. Who looks again keeps the blocks.
func (s *session) findSketches(ctx context.Context, text, purpose overlap.Sketch, tail *sketches) error {
	read := s.readSketches
	if !s.sketches.looked {
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

// nearSketches takes of all blocks what is near text and purpose into tail.
func (s *session) nearSketches(ctx context.Context, text, purpose overlap.Sketch, tail *sketches) error {
	query := fmt.Sprintf("SELECT block, coalesce(%[1]s(text, $1, $2, $3), x''), coalesce(%[1]s(purpose, $4, $5, $6), x'') FROM sketches ORDER BY block", nearFunction)
	near, err := all(ctx, s, scanSketched, query, encoded(text), leastText, mostAlike, encoded(purpose), leastPurpose, mostAlike)
	for _, b := range near {
		err = errors.Join(err, tail.text.Load(b.text), tail.purpose.Load(b.purpose))
	}
	return err
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

// nearFunction is overlap.Near as a function of the engine: of blocks, a
// sketch, a resemblance and a number. The engine lends it a block where it has read it, which
// spares a copy of every block there is.
const nearFunction = "sketches_near"

// registerNear makes nearFunction known to every connection that is opened
// after it.
var registerNear = sync.OnceValue(func() error {
	return sqlite.RegisterFunction(nearFunction, &sqlite.FunctionImpl{
		NArgs: 4, Deterministic: true, VolatileArgs: true,
		Scalar: func(_ *sqlite.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
			blocks, isBlob := args[0].([]byte)
			stored, isSketch := args[1].([]byte)
			least, isShare := args[2].(float64)
			most, isCount := args[3].(int64)
			var sought overlap.Sketch
			if !isBlob || !isSketch || !isShare || !isCount || sought.UnmarshalBinary(stored) != nil {
				return nil, errors.New("expected blocks, a sketch, a resemblance and a number")
			}
			near, err := overlap.Near(blocks, sought, least, int(most))
			if err != nil { // who loads what is returned finds out why
				return slices.Clone(blocks), nil //nolint:nilerr // an error would lose its kind on its way through the engine
			}
			if near == nil {
				return nil, nil
			}
			return near, nil
		},
	})
})

// encoded returns a sketch as nearFunction takes it.
func encoded(s overlap.Sketch) []byte {
	b, _ := s.AppendBinary(nil) // which has no errors
	return b
}
