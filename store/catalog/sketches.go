// This file stores sketches of tools and finds tools with similar texts.

package catalog

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/overlap"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Thresholds of Alike. Texts that share less than two fifths of their shingles read as different.
// Purposes consist of a few words and are often similar, so their threshold is higher.
const (
	leastText    = 0.4
	leastPurpose = 0.55
	mostAlike    = 20 // maximum number of candidates by text and by purpose
)

// Alike implements review.RegistryReader. The session keeps complete blocks; the last block, which still grows, and the
// single rows are read each time.
func (s Registry) Alike(ctx context.Context, t *overlap.Fingerprint) ([]registry.Live, error) {
	known := session.Cached[sketches](s.Session)
	var tail sketches
	blocks, err := table.All(ctx, s, ScanSketched, "SELECT block, text, purpose FROM sketches WHERE block >= $1 ORDER BY block", known.next)
	if err != nil {
		return nil, err
	}
	for i, b := range blocks {
		into := known
		if i == len(blocks)-1 {
			into = &tail
		} else {
			known.next = b.seq + 1
		}
		if err := errors.Join(into.text.Load(b.Text), into.purpose.Load(b.Purpose)); err != nil {
			return nil, err
		}
	}
	recent, err := table.All(ctx, s, ScanSketched, "SELECT seq, text, purpose FROM recent_sketches ORDER BY seq")
	if err != nil {
		return nil, err
	}
	var texts, purposes []byte
	for _, sk := range recent {
		texts, purposes = append(texts, sk.Text...), append(purposes, sk.Purpose...)
	}
	if err := errors.Join(tail.text.Load(texts), tail.purpose.Load(purposes)); err != nil {
		return nil, err
	}
	text, purpose := t.Sketches()
	var byText, byPurpose []overlap.Match
	var scans sync.WaitGroup
	scans.Go(func() { byPurpose = scan(known.purpose, tail.purpose, purpose, leastPurpose) })
	byText = scan(known.text, tail.text, text, leastText)
	scans.Wait()
	var alike []registry.Live
	seen := map[int64]bool{}
	for _, c := range slices.Concat(byText, byPurpose) {
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		// A version that is no longer live has no similar tools.
		found, err := s.Find(ctx, LiveFrom+"WHERE v.seq = $1", c.ID)
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

// scan returns the best matches of a sketch in two indexes, most similar first.
func scan(known, tail overlap.Index, s overlap.Sketch, least float64) []overlap.Match {
	matches := slices.Concat(known.Scan(s, least, mostAlike), tail.Scan(s, least, mostAlike))
	slices.SortStableFunc(matches, func(x, y overlap.Match) int { return -cmp.Compare(x.Estimate, y.Estimate) })
	return matches[:min(len(matches), mostAlike)]
}

// sketches caches the complete blocks that a session has read. Complete blocks never change.
type sketches struct {
	text, purpose overlap.Index
	next          int64 // first block that is not cached
}

// SketchBlock is the number of versions that share a row, which is read and written as a whole.
// Until a block is complete, its sketches are single rows in recent_sketches.
const SketchBlock = 256

// sketchLook is the interval, in versions, between checks for complete blocks. It is shorter than a
// block, because the last version of a block may belong to an agent, which has no sketches.
const sketchLook = 32

// sketched holds the stored sketches of one version.
type sketched struct {
	seq           int64
	Text, Purpose []byte
}

// sketchAll computes the sketches of the tools among newly added versions, in the order of their
// sequence numbers.
func sketchAll(added addedVersions, versions []history.Version, definitions []registry.Definition) ([]sketched, error) {
	made := make([]sketched, len(versions))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range versions {
		if t := definitions[i].Tool; t != nil {
			group.Go(func() (err error) {
				of := sketched{seq: added[versions[i].Hash]}
				var text, purpose overlap.Index
				text.Add(of.seq, overlap.TextOf(*t).Sketch())
				purpose.Add(of.seq, overlap.PurposeOf(*t).Sketch())
				if of.Text, err = text.AppendBinary(nil); err == nil {
					of.Purpose, err = purpose.AppendBinary(nil)
				}
				made[i] = of
				return err
			})
		}
	}
	err := group.Wait()
	return slices.DeleteFunc(made, func(sk sketched) bool { return sk.seq == 0 }), err
}

// addSketches stores the sketches of new tool versions and moves those of completed blocks, together with the new
// ones among them, into their blocks.
func (s Registry) addSketches(ctx context.Context, sks []sketched) error {
	if len(sks) == 0 {
		return nil
	}
	before, last := sks[0].seq-1, sks[len(sks)-1].seq
	if before/sketchLook != last/sketchLook {
		first := last / SketchBlock * SketchBlock
		further := slices.IndexFunc(sks, func(sk sketched) bool { return sk.seq >= first })
		stored, err := table.All(ctx, s, ScanSketched, "SELECT seq, text, purpose FROM recent_sketches WHERE seq < $1 ORDER BY seq", first)
		if err != nil {
			return err
		}
		if complete := slices.Concat(stored, sks[:further]); len(complete) > 0 {
			if err := s.appendBlocks(ctx, complete); err != nil {
				return err
			}
			if _, err := s.Exec(ctx, "DELETE FROM recent_sketches WHERE seq < $1", first); err != nil {
				return err
			}
		}
		sks = sks[further:]
	}
	var rows []any
	for _, sk := range sks {
		rows = append(rows, sk.seq, sk.Text, sk.Purpose)
	}
	return table.InsertRows(ctx, s, "recent_sketches", "seq, text, purpose", rows)
}

// appendBlocks appends sketches to their blocks.
func (s Registry) appendBlocks(ctx context.Context, sks []sketched) error {
	for len(sks) > 0 {
		block := sks[0].seq / SketchBlock
		var text, purpose []byte
		if _, err := s.OptionalRow(ctx, "SELECT text, purpose FROM sketches WHERE block = $1", []any{block}, &text, &purpose); err != nil {
			return err
		}
		for len(sks) > 0 && sks[0].seq/SketchBlock == block {
			text, purpose = append(text, sks[0].Text...), append(purpose, sks[0].Purpose...)
			sks = sks[1:]
		}
		_, err := s.Exec(ctx, `INSERT INTO sketches (block, text, purpose) VALUES ($1, $2, $3)
			ON CONFLICT (block) DO UPDATE SET text = excluded.text, purpose = excluded.purpose`, block, text, purpose)
		if err != nil {
			return err
		}
	}
	return nil
}

// ScanSketched scans a row of sketches.
func ScanSketched(row table.Scanner) (sketched, error) {
	var sk sketched
	err := row.Scan(&sk.seq, &sk.Text, &sk.Purpose)
	return sk, err
}
