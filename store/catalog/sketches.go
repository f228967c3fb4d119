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

// Thresholds of Alike for the estimated share of common shingles. People perceive texts as different if the texts share
// less than two fifths of their shingles. Purposes have only a few words and are often similar by chance, so they need
// a higher threshold.
const (
	leastText    = 0.4
	leastPurpose = 0.55
	mostAlike    = 20 // maximum number of matches by text, and also by purpose
)

// Alike implements review.RegistryReader. The session caches the complete blocks. The last block, which still grows,
// and the single rows are read each time.
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
		// Skip versions that are no longer live: the query then returns no rows.
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

// scan searches two indexes for the versions that are most similar to s. It returns the most similar version first.
func scan(known, tail overlap.Index, s overlap.Sketch, least float64) []overlap.Match {
	matches := slices.Concat(known.Scan(s, least, mostAlike), tail.Scan(s, least, mostAlike))
	slices.SortStableFunc(matches, func(x, y overlap.Match) int { return -cmp.Compare(x.Estimate, y.Estimate) })
	return matches[:min(len(matches), mostAlike)]
}

// sketches caches the complete blocks that a session has read. A complete block never changes.
type sketches struct {
	text, purpose overlap.Index
	next          int64 // first block that is not cached
}

// SketchBlock is the number of consecutive versions that share a row of the table sketches. The row contains the
// sketches of all these versions, and it is read and written as a whole. Until a block is complete, its sketches are
// single rows in the table recent_sketches.
const SketchBlock = 256

// sketchLook is the interval, in versions, between checks for complete blocks. It is shorter than a block, because the
// last version of a block can belong to an agent. Agents have no sketches, so their versions do not trigger a check.
const sketchLook = 32

// sketched contains the stored sketches of a version.
type sketched struct {
	seq           int64
	Text, Purpose []byte
}

// sketchAll computes the sketches of the versions that define tools. The sketches are in the same order as the
// versions. The argument added maps hashes of versions to sequence numbers.
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

// addSketches stores the sketches of new tool versions. The table sketches receives the sketches of complete blocks,
// including sketches that earlier calls stored in recent_sketches. The table recent_sketches receives the sketches of
// the incomplete block.
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

// appendBlocks appends sketches to the rows of their blocks.
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

// ScanSketched scans three columns: a sequence number or block number, and two sketches.
func ScanSketched(row table.Scanner) (sketched, error) {
	var sk sketched
	err := row.Scan(&sk.seq, &sk.Text, &sk.Purpose)
	return sk, err
}
