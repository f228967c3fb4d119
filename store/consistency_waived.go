package store

import (
	"context"
	"errors"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
)

// waivedCounts reports proposals with waivers whose count of blocks differs from
// what the review service counted at the last assessment or waiver. Only the
// service knows what a waiver covers, so it counts again.
func waivedCounts(ctx context.Context, s *session, fn func(history.Damage)) error {
	ids, err := all(ctx, s, scanValue[proposals.ID], "SELECT DISTINCT w.proposal FROM waivers w JOIN proposals p ON p.id = w.proposal")
	if err != nil {
		return err
	}
	for _, id := range ids {
		agrees, err := s.agrees(ctx, id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case ofEngine(s.engine, err):
			return err
		case err != nil:
			fn(history.Damage{Table: "proposals", Key: string(id), Message: "Its blocking findings cannot be counted: " + err.Error() + "."})
		case !agrees:
			fn(history.Damage{Table: "proposals", Key: string(id), Message: "Its number of blocking findings in the queue does not match its findings and waivers."})
		}
	}
	return nil
}

func (s *session) agrees(ctx context.Context, id proposals.ID) (bool, error) {
	p, err := s.Proposal(ctx, id)
	if err != nil {
		return false, err
	}
	var counted string
	err = s.Row(ctx, `SELECT coalesce((SELECT at FROM events WHERE proposal = $1 AND proposal <> '' AND revision = $2 AND act IN ('assess', 'waive', 'unwaive')
		ORDER BY seq DESC LIMIT 1), '')`, []any{id, p.Revision}, &counted)
	if err != nil {
		return false, err
	}
	as, err := s.Assessments(ctx, id, p.Revision)
	if err != nil {
		return false, err
	}
	if len(as) == 0 {
		return p.Summary == proposals.Summary{}, nil
	}
	waivers, err := s.Waivers(ctx, id)
	if err != nil {
		return false, err
	}
	at, err := history.ParseTimestamp(counted)
	if err != nil {
		return false, errors.Join(ErrDamaged, err)
	}
	want := review.Tally(as[len(as)-1], waivers, at)
	return p.Summary.Blocks == want.Blocks && p.Summary.Warns == want.Warns && p.Summary.WaivedUntil.Equal(want.WaivedUntil.Truncate(time.Microsecond)), nil
}
