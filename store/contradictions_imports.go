package store

import (
	"context"

	"toolcrib/history"
	"toolcrib/registry/wire"
)

// importContradictions are about what was read from outside: an import has no
// seal of its own, its event says all of it.
func importContradictions() []contradiction {
	return []contradiction{
		{
			"imports", `SELECT 'imports row ' || i.seq FROM imports i LEFT JOIN events e ON e.id = i.id AND e.act = 'import'
			WHERE (i.at, i.actor, i.format, i.label, i.hash, i.capabilities, i.tools) IS NOT
			(e.at, e.actor, e.data ->> '$.format', e.data ->> '$.label', e.data ->> '$.hash', e.data ->> '$.capabilities', e.data ->> '$.tools')`,
			"It is not what the log says was imported.",
		},
		{
			"raws", `SELECT DISTINCT t.value FROM imports i, json_each(i.tools) t WHERE t.value NOT IN (SELECT hash FROM raws)`,
			"What was imported under this hash is not there.",
		},
	}
}

// rawContents reports imported JSON that is not what its hash says.
func (s *session) rawContents(ctx context.Context, fn func(history.Damage)) error {
	return s.each(ctx, "SELECT hash, body FROM raws ORDER BY hash", nil, func(row scanner) error {
		var hash string
		var body []byte
		if err := row.Scan(&hash, &body); err != nil {
			return err
		}
		if got, err := wire.HashRaw(body); err != nil || got != hash {
			fn(history.Damage{Table: "raws", Key: hash, Message: "Its content is not what its hash says."})
		}
		return nil
	})
}

// loggedImport is about what the log tells of imports. It reads the whole log,
// so it is not asked where somebody else did (see audit).
func loggedImport() contradiction {
	return contradiction{
		"events", `SELECT 'event ' || e.seq FROM events e WHERE e.act = 'import' AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.id = e.id)`,
		"The import that it tells of is not there.",
	}
}
