package store

import (
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
)

// textBlock is how many proposals one inspection of their texts reads.
const textBlock = 4096

// textInspections returns the inspections of the hashes by which the same text is
// found under another id: one for each block of tools, which computes them again,
// and one for what has no such text.
func (l Ledger) textInspections(ctx context.Context) ([]inspection, error) {
	var last int64
	err := l.use(ctx, func(s *session) error {
		return s.row(ctx, "SELECT coalesce(max(seq), 0) FROM proposals", nil, &last)
	})
	if err != nil {
		return nil, err
	}
	list := inspections([]consistencyCheck{{
		"proposals", "SELECT id FROM proposals WHERE text_hash <> '' AND (kind <> 'tool' OR type = 'deactivate')",
		"It is found by a text that it does not have.",
	}})
	for first := int64(1); first <= last; first += textBlock {
		list = append(list, inspection{"proposals", func(ctx context.Context, s *session, fn func(history.Damage)) error {
			return s.checkTexts(ctx, first, fn)
		}})
	}
	return list, nil
}

// checkTexts reports proposals of a block whose hash is not that of their texts.
// A draft that nobody can read is reported with the revisions.
func (s *session) checkTexts(ctx context.Context, first int64, fn func(history.Damage)) error {
	return s.each(ctx, `SELECT p.id, p.text_hash, r.draft FROM proposals p JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
		WHERE p.kind = 'tool' AND p.type <> 'deactivate' AND p.seq BETWEEN ? AND ?`, []any{first, first + textBlock - 1}, func(row scanner) error {
		var id, have, text string
		if err := row.Scan(&id, &have, &text); err != nil {
			return err
		}
		var draft proposals.Draft
		if err := readAll(into(&draft, parseDraft, text)); err != nil {
			return fmt.Errorf("proposal %s: %w", id, err)
		}
		if draft.TextHash() != have {
			fn(history.Damage{Table: "proposals", Key: id, Message: "It is found by another text than it has."})
		}
		return nil
	})
}
