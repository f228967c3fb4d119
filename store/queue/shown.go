package queue

import (
	"context"
	"encoding/json"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Shown implements review.RecordReader.
func (s Records) Shown(ctx context.Context, user proposals.Actor, ids []proposals.ID) (map[proposals.ID]review.Shown, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	found, err := table.All(ctx, s.Reviews, table.Reading(ShownTable.Columns),
		"SELECT "+ShownTable.Columns(new(review.Shown)).Of("s")+` FROM (SELECT DISTINCT value FROM json_each($1, '$')) j CROSS JOIN shown s WHERE s."user" = $2 AND s.proposal = j.value`,
		string(list), user.String())
	if err != nil {
		return nil, err
	}
	byID := lists.Index(found, func(f review.Shown) (proposals.ID, review.Shown) { return f.Proposal, f })
	return byID, nil
}

// ShownTable describes the table of the reviews that each user was last shown.
var ShownTable = table.Of("shown", shownColumns)

func shownColumns(f *review.Shown) table.Columns {
	parts := table.StoredJSON(&f.ShownParts, func(p review.ShownParts) ([]byte, error) { return jsondoc.Marshal(p) })
	return table.Columns{table.Col("proposal", (*string)(&f.Proposal)), table.Col("digest", &f.Digest), table.Col("parts", parts), table.Col("shown_at", table.Time(&f.At))}
}

// Remember stores what a user was shown, replacing earlier rows for the same proposals.
func Remember(ctx context.Context, s *session.Session, user proposals.Actor, shown []review.Shown) error {
	for _, f := range shown {
		parts, err := jsondoc.Marshal(f.ShownParts)
		if err != nil {
			return err
		}
		_, err = s.Exec(ctx, `INSERT INTO shown ("user", proposal, digest, parts, shown_at) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT ("user", proposal) DO UPDATE SET digest = excluded.digest, parts = excluded.parts, shown_at = excluded.shown_at`,
			user.String(), f.Proposal, f.Digest, string(parts), history.Timestamp(f.At))
		if err != nil {
			return err
		}
	}
	return nil
}
