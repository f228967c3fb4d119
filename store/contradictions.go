package store

import (
	"context"
	"database/sql"
	"fmt"

	"toolcrib/history"
)

// contradiction is a question whose every answer is damage: a key and what is
// wrong with it.
type contradiction struct {
	table, query, message string
}

// contradictions lists what has to agree between the tables.
func contradictions() []contradiction {
	list := []contradiction{
		{
			"live", `SELECT l.subject FROM live l WHERE NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = l.subject AND v.number = l.version AND v.content_hash = l.content_hash)
			OR l.version <> (SELECT max(number) FROM versions WHERE subject = l.subject)`,
			"What is live is not the last approved version.",
		},
		{
			"live", `SELECT DISTINCT subject FROM versions WHERE subject NOT IN (SELECT subject FROM live)`,
			"There are versions, but nothing is live.",
		},
		{
			"live", `SELECT subject FROM live WHERE locked <> (kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core))`,
			"The core lock is not where it belongs.",
		},
		{
			"names", `SELECT n.name || ' of ' || n.subject FROM names n JOIN live l ON l.subject = n.subject
			JOIN versions v ON v.subject = l.subject AND v.number = l.version
			WHERE n.name <> l.id AND n.name NOT IN (SELECT value FROM json_each(v.definition, '$.aliases'))`,
			"The live definition does not have this alias.",
		},
		{
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal <> '' AND NOT EXISTS (SELECT 1 FROM decisions d
			WHERE d.proposal = v.proposal AND d.verdict = 'approved' AND d.version = v.number AND d.version_hash = v.hash AND d.decided_by = v.decided_by)`,
			"No decision approved this version.",
		},
		{
			"decisions", `SELECT d.subject || ' version ' || d.version FROM decisions d WHERE d.verdict = 'approved' AND NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = d.subject AND v.number = d.version AND v.hash = d.version_hash)`,
			"The version that this decision approved is not there.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p WHERE (p.state = 'approved') <> EXISTS (SELECT 1 FROM decisions d
			WHERE d.proposal = p.id AND d.verdict = 'approved' AND d.revision = p.revision AND d.content_hash = p.content_hash)`,
			"Its state and its decisions do not agree.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p WHERE NOT EXISTS (SELECT 1 FROM revisions r
			WHERE r.proposal = p.id AND r.number = p.revision AND r.content_hash = p.content_hash)
			OR p.revision <> (SELECT max(number) FROM revisions WHERE proposal = p.id)`,
			"It is not what its last revision says.",
		},
		{
			"counters", `SELECT state FROM (SELECT state, count(*) AS n FROM proposals GROUP BY state) c
			WHERE n <> coalesce((SELECT n FROM counters WHERE state = c.state), 0)`,
			"The counter is not the number of proposals.",
		},
		{
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal = '' AND NOT EXISTS (SELECT 1 FROM events e WHERE e.record = v.hash AND e.record <> '')`,
			"No event tells of it.",
		},
	}
	for _, k := range plainRecords() {
		list = append(list, contradiction{
			k.table, "SELECT '" + k.table + " row ' || t.seq FROM " + k.table + " t WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.record = t.seal AND e.record <> '')",
			"No event tells of it.",
		})
	}
	return list
}

// Contradictions implements history.Ledger.
func (l Ledger) Contradictions(ctx context.Context, fn func(history.Damage)) error {
	for _, c := range contradictions() {
		keys, err := all(ctx, l.s, scanString, c.query)
		if err != nil {
			return fmt.Errorf("%s: %w", c.table, err)
		}
		for _, key := range keys {
			fn(history.Damage{Table: c.table, Key: key, Message: c.message})
		}
	}
	return l.schemaDrift(ctx, fn)
}

// schemaDrift reports tables, indexes and triggers that are not those of the
// migrations: a trigger that was dropped is a lock that is open.
func (l Ledger) schemaDrift(ctx context.Context, fn func(history.Damage)) error {
	want, err := freshSchema(ctx)
	if err != nil {
		return err
	}
	have, err := l.s.objects(ctx)
	if err != nil {
		return err
	}
	for name, text := range want {
		switch got, ok := have[name]; {
		case !ok:
			fn(history.Damage{Table: "sqlite_schema", Key: name, Message: "It was dropped."})
		case got != text:
			fn(history.Damage{Table: "sqlite_schema", Key: name, Message: "It is not what the program made."})
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			fn(history.Damage{Table: "sqlite_schema", Key: name, Message: "The program did not make it."})
		}
	}
	return nil
}

// objects returns the SQL of every object of the schema, by type and name.
func (s *session) objects(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	err := s.each(ctx, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema", nil, func(row scanner) error {
		var name, text string
		if err := row.Scan(&name, &text); err != nil {
			return err
		}
		found[name] = text
		return nil
	})
	return found, err
}

// freshSchema returns the objects that the migrations make, from an empty
// database in memory.
func freshSchema(ctx context.Context) (map[string]string, error) {
	db, err := sql.Open(driver, ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // nothing in memory can be lost
	s, err := newSession(ctx, db)
	if err != nil {
		return nil, err
	}
	defer s.close() //nolint:errcheck // nothing in memory can be lost
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if !step.schema {
			continue
		}
		if err := step.run(ctx, nil, s); err != nil {
			return nil, err
		}
	}
	return s.objects(ctx)
}
