package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// sketchInspections returns the inspections of near-duplicate sketches: one for
// each block, which computes the sketches of its versions again, and one for
// sketches without a version.
func (l Ledger) sketchInspections(ctx context.Context) ([]inspection, error) {
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
			return s.checkSketches(ctx, block, fn)
		}})
	}
	return list, nil
}

// checkSketches reports a block whose sketches are not those of its versions.
func (s *session) checkSketches(ctx context.Context, block int64, fn func(history.Damage)) error {
	first, last := block*sketchBlock, (block+1)*sketchBlock-1
	text, purpose, err := s.storedSketches(ctx, block)
	if err != nil {
		return err
	}
	var wantText, wantPurpose overlap.Index
	err = s.Each(ctx, "SELECT seq, definition FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", []any{first, last}, func(row scanner) error {
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
	if err != nil {
		return err
	}
	if !sameSketches(text, &wantText) || !sameSketches(purpose, &wantPurpose) {
		fn(history.Damage{
			Table: "sketches", Key: fmt.Sprintf("sketches block %d", block),
			Message: fmt.Sprintf("The near-duplicate sketches of the versions in rows %d to %d do not match their definitions.", max(first, 1), last),
		})
	}
	return nil
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

// sameSketches reports whether stored blocks have the entries of want, however
// they are divided into blocks.
func sameSketches(stored []byte, want *overlap.Index) bool {
	var have overlap.Index
	if have.Load(stored) != nil {
		return false
	}
	a, err := have.AppendBinary(nil)
	b, err2 := want.AppendBinary(nil)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}
