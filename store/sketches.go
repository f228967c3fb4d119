package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// sketches are the blocks of the table sketches that a session has read and
// that are complete, so that they never have to be read again.
type sketches struct {
	text, purpose overlap.Index
	next          int64 // the first block that is not in them
}

// sketchBlock is how many versions share a row of the table: a row is read and
// written as a whole.
const sketchBlock = 256

// addSketches appends the sketches of a version of a tool to its block.
func (s *session) addSketches(ctx context.Context, subject registry.Subject, number int, t registry.Tool) error {
	var seq int64
	if err := s.row(ctx, "SELECT seq FROM versions WHERE subject = ? AND number = ?", []any{subject.String(), number}, &seq); err != nil {
		return err
	}
	var text, purpose []byte
	err := s.row(ctx, "SELECT text, purpose FROM sketches WHERE block = ?", []any{seq / sketchBlock}, &text, &purpose)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if text, err = appendSketch(text, seq, overlap.TextOf(t)); err != nil {
		return err
	}
	if purpose, err = appendSketch(purpose, seq, overlap.PurposeOf(t)); err != nil {
		return err
	}
	_, err = s.exec(ctx, `INSERT INTO sketches (block, text, purpose) VALUES (?, ?, ?)
		ON CONFLICT (block) DO UPDATE SET text = excluded.text, purpose = excluded.purpose`, seq/sketchBlock, text, purpose)
	return err
}

func appendSketch(stored []byte, seq int64, set overlap.Set) ([]byte, error) {
	var one overlap.Index
	one.Add(seq, set.Sketch())
	return one.AppendBinary(stored)
}

// What Alike looks for. A text that shares less than two fifths of its
// shingles with another reads as a different one; purposes are a few words
// each and are often somewhat alike.
const (
	leastText    = 0.4
	leastPurpose = 0.55
	mostAlike    = 20 // candidates of each sort
)

// Alike implements review.RegistryReader.
func (s *session) Alike(ctx context.Context, t registry.Tool) ([]registry.Live, error) {
	var tail sketches
	if err := s.readSketches(ctx, &tail); err != nil {
		return nil, err
	}
	text, purpose := overlap.TextOf(t).Sketch(), overlap.PurposeOf(t).Sketch()
	candidates := slices.Concat(
		likeliest(s.sketches.text.Scan(text, leastText), tail.text.Scan(text, leastText)),
		likeliest(s.sketches.purpose.Scan(purpose, leastPurpose), tail.purpose.Scan(purpose, leastPurpose)),
	)
	var alike []registry.Live
	seen := map[int64]bool{}
	for _, c := range candidates {
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		// A version that is not live any more finds nothing.
		found, err := all(ctx, s, scanLive, selectLive+"WHERE v.seq = ?", c.ID)
		if err != nil {
			return nil, err
		}
		alike = append(alike, found...)
	}
	return alike, nil
}

func likeliest(a, b []overlap.Match) []overlap.Match {
	matches := slices.Concat(a, b)
	slices.SortStableFunc(matches, func(x, y overlap.Match) int { return -cmp.Compare(x.Estimate, y.Estimate) })
	return matches[:min(len(matches), mostAlike)]
}

// readSketches takes the blocks that became complete into the session, and the
// last one, which still grows, into tail.
func (s *session) readSketches(ctx context.Context, tail *sketches) error {
	type block struct {
		number        int64
		text, purpose []byte
	}
	blocks, err := all(ctx, s, func(row scanner) (block, error) {
		var b block
		err := row.Scan(&b.number, &b.text, &b.purpose)
		return b, err
	}, "SELECT block, text, purpose FROM sketches WHERE block >= ? ORDER BY block", s.sketches.next)
	if err != nil {
		return err
	}
	for i, b := range blocks {
		into := &s.sketches
		if i == len(blocks)-1 {
			into = tail
		} else {
			s.sketches.next = b.number + 1
		}
		if err := errors.Join(into.text.Load(b.text), into.purpose.Load(b.purpose)); err != nil {
			return err
		}
	}
	return nil
}
