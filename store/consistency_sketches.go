package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// sketchInspections returns the inspections of near-duplicate sketches: one for
// sketches without a version, and one for each block, which looks for a sketch of each
// version, and with deep computes it again.
func (l Ledger) sketchInspections(ctx context.Context, deep bool) ([]inspection, error) {
	var last int64
	err := l.use(ctx, func(s *session) error {
		return s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM versions", nil, &last)
	})
	if err != nil {
		return nil, err
	}
	list := []inspection{{"sketches", func(ctx context.Context, s *session, fn func(history.Damage)) error {
		keys, err := all(ctx, s, scanValue[string], `SELECT 'sketches block ' || block FROM sketches WHERE block NOT BETWEEN 0 AND CAST($1 AS bigint) / CAST($2 AS bigint)
			UNION ALL SELECT 'recent_sketches row ' || seq FROM recent_sketches WHERE seq NOT BETWEEN 1 AND $1`, last, sketchBlock)
		for _, key := range keys {
			fn(history.Damage{Table: "sketches", Key: key, Message: "The versions that it describes are missing."})
		}
		return err
	}}}
	for block := range last/sketchBlock + 1 {
		list = append(list, inspection{"sketches", func(ctx context.Context, s *session, fn func(history.Damage)) error {
			return s.checkSketches(ctx, block, deep, fn)
		}})
	}
	return list, nil
}

// checkSketches reports a block whose sketches are of other versions, or with deep other
// sketches, than it should have.
func (s *session) checkSketches(ctx context.Context, block int64, deep bool, fn func(history.Damage)) error {
	first, last := block*sketchBlock, (block+1)*sketchBlock-1
	text, purpose, err := s.storedSketches(ctx, block)
	if err != nil {
		return err
	}
	var same bool
	if deep {
		same, err = s.sameSketches(ctx, text, purpose, first, last)
	} else {
		var ids []int64
		ids, err = all(ctx, s, scanValue[int64], "SELECT seq FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", first, last)
		same = sketchesOf(text, ids) && sketchesOf(purpose, ids)
	}
	if err != nil {
		return err
	}
	if !same {
		fn(history.Damage{
			Table: "sketches", Key: fmt.Sprintf("sketches block %d", block),
			Message: fmt.Sprintf("The near-duplicate sketches of the versions in rows %d to %d do not match their definitions.", max(first, 1), last),
		})
	}
	return nil
}

// sketchesOf reports whether stored blocks have the sketches of some versions.
func sketchesOf(stored []byte, ids []int64) bool {
	var have overlap.Index
	return have.Load(stored) == nil && slices.Equal(have.IDs(), ids)
}

// sameSketches reports whether stored blocks have the sketches that the versions of some
// rows should have.
func (s *session) sameSketches(ctx context.Context, text, purpose []byte, first, last int64) (bool, error) {
	var wantText, wantPurpose overlap.Index
	err := s.Each(ctx, "SELECT seq, definition FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", []any{first, last}, func(row scanner) error {
		var seq int64
		var definition []byte
		if err := row.Scan(&seq, &definition); err != nil {
			return err
		}
		d, err := registry.DecodeDefinition(registry.KindTool, definition)
		if err != nil {
			return fmt.Errorf("version in row %d: %w", seq, err)
		}
		wantText.Add(seq, overlap.TextOf(*d.Tool).Sketch())
		wantPurpose.Add(seq, overlap.PurposeOf(*d.Tool).Sketch())
		return nil
	})
	return equalSketches(text, &wantText) && equalSketches(purpose, &wantPurpose), err
}

// storedSketches returns the sketches of a block: its row, and the rows of
// versions that were not packed yet.
func (s *session) storedSketches(ctx context.Context, block int64) (text, purpose []byte, err error) {
	err = s.Row(ctx, "SELECT text, purpose FROM sketches WHERE block = $1", []any{block}, &text, &purpose)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, nil, err
	}
	recent, err := all(ctx, s, scanSketched, "SELECT seq, text, purpose FROM recent_sketches WHERE seq BETWEEN $1 AND $2 ORDER BY seq", block*sketchBlock, (block+1)*sketchBlock-1)
	for _, sk := range recent {
		text, purpose = append(text, sk.text...), append(purpose, sk.purpose...)
	}
	return text, purpose, err
}

// equalSketches reports whether stored blocks have the entries of want, however they are
// divided into blocks.
func equalSketches(stored []byte, want *overlap.Index) bool {
	var have overlap.Index
	if have.Load(stored) != nil {
		return false
	}
	a, err := have.AppendBinary(nil)
	b, err2 := want.AppendBinary(nil)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}
