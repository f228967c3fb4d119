package store

import (
	"context"

	"toolcrib/history"
	"toolcrib/registry/wire"
)

// importChecks compare imports, which have no seal of their own, with their
// events, which repeat every column.
func importChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"imports", `SELECT 'imports row ' || i.seq FROM imports i LEFT JOIN events e ON e.id = i.id AND e.act = 'import'
			WHERE (i.at, i.actor, i.format, i.label, i.hash, i.capabilities, i.tools) IS DISTINCT FROM
			(e.at, e.actor, json_extract(e.data, '$.format'), json_extract(e.data, '$.label'), json_extract(e.data, '$.hash'), json_extract(e.data, '$.capabilities'), json_extract(e.data, '$.tools'))`,
			"It does not match the import in the log.",
		},
		{
			"raws", `SELECT DISTINCT t.value FROM imports i, json_each(i.tools, '$') t WHERE t.value NOT IN (SELECT hash FROM raws)`,
			"The JSON imported under this hash is missing.",
		},
		{
			"imports", `SELECT 'imports row ' || seq FROM (SELECT i.seq, e.seq AS logged, row_number() OVER in_order AS place, lag(e.seq) OVER in_order AS logged_before
			FROM imports i JOIN events e ON e.id = i.id WINDOW in_order AS (ORDER BY i.seq)) placed WHERE seq <> place OR logged <= logged_before`,
			"Its place differs from the one in the log.",
		},
		{
			"events", `SELECT 'event ' || e.seq FROM events e WHERE e.act = 'import' AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.id = e.id)`,
			"Its import is missing.",
		},
	}
}

// rawContents reports imported JSON that is not what its hash says.
func rawContents(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, "SELECT hash, body FROM raws ORDER BY hash", nil, func(row scanner) error {
		var hash string
		var body []byte
		if err := row.Scan(&hash, &body); err != nil {
			return err
		}
		if got, err := wire.HashRaw(body); err != nil || got != hash {
			fn(history.Damage{Table: "raws", Key: hash, Message: "Its content does not match its hash."})
		}
		return nil
	})
}
