package store

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolcrib/history"
)

// contradiction is a question whose every answer is damage: a key and what is
// wrong with it.
type contradiction struct {
	table, query, message string
}

// Contradictions implements history.Ledger. A question that damage keeps from
// being answered is damage itself and keeps none of the others from it.
func (l Ledger) Contradictions(ctx context.Context, fn func(history.Damage)) error {
	var questions []contradiction
	follows, err := l.follows(ctx)
	if err != nil {
		return err
	}
	if !follows {
		questions = append(questions, recordContradictions()...)
	}
	current, err := l.current(ctx)
	if err != nil {
		return err
	}
	if !current {
		questions = append(questions, liveContradictions()...)
	}
	questions = append(questions, registryContradictions()...)
	questions = append(questions, queueContradictions()...)
	questions = append(questions, callContradictions()...)
	questions = append(questions, assistantContradictions()...)
	questions = append(append(questions, importContradictions()...), loggedImport())
	answers := make([][]history.Damage, len(questions))
	var asking sync.WaitGroup
	for i, c := range questions {
		asking.Go(func() { answers[i] = l.ask(ctx, c) })
	}
	asking.Wait()
	for _, damage := range slices.Concat(answers...) {
		fn(damage)
	}
	return l.use(ctx, func(s *session) error {
		if err := s.waivedCounts(ctx, fn); err != nil {
			return err
		}
		if err := s.rawContents(ctx, fn); err != nil {
			fn(history.Damage{Table: "raws", Message: fmt.Sprintf("It can not be read to its end: %v.", err)})
		}
		return ctx.Err()
	})
}

// ask puts a question and returns what the answers are damage to.
func (l Ledger) ask(ctx context.Context, c contradiction) []history.Damage {
	var found []history.Damage
	err := l.use(ctx, func(s *session) error {
		keys, err := all(ctx, s, scanString, c.query)
		for _, key := range keys {
			found = append(found, history.Damage{Table: c.table, Key: key, Message: c.message})
		}
		return err
	})
	if err != nil {
		found = append(found, history.Damage{Table: c.table, Message: fmt.Sprintf("It can not be held against the other tables: %v.", err)})
	}
	return found
}

// follows reports whether records and log follow each other as they were read,
// and no row of a record is missing between others.
func (l Ledger) follows(ctx context.Context) (bool, error) {
	if !l.course.agrees() {
		return false, nil
	}
	whole := true
	err := l.use(ctx, func(s *session) error {
		for _, table := range append(recordTables(), versionTable) {
			var rows, last int64
			if err := s.row(ctx, "SELECT count(*), coalesce(max(seq), 0) FROM "+table, nil, &rows, &last); err != nil {
				return err
			}
			whole = whole && rows == last // as numbers count from 1
		}
		return nil
	})
	return whole && err == nil, ctx.Err()
}

// current reports whether what is live is the last version of every subject.
func (l Ledger) current(ctx context.Context) (bool, error) {
	if !l.course.ended[versionTable] {
		return false, nil
	}
	rows, agrees := 0, true
	err := l.use(ctx, func(s *session) error {
		return s.plain(ctx, "SELECT subject, version, content_hash FROM live NOT INDEXED", func(values []sqldriver.Value) error {
			var fields [3]string
			for i := range fields {
				var err error
				if fields[i], err = asText(values[i]); err != nil {
					return err
				}
			}
			rows++
			agrees = agrees && l.course.liveAgrees(fields[0], fields[1], fields[2])
			return nil
		})
	})
	return agrees && err == nil && rows == len(l.course.last), ctx.Err()
}

// Structure implements history.Ledger: the core and its lock, the schema, and
// what the engine's own check finds.
func (l Ledger) Structure(ctx context.Context, fn func(history.Damage)) error {
	return l.use(ctx, func(s *session) error {
		if err := s.checkCore(ctx); err != nil {
			fn(history.Damage{Table: "core", Message: err.Error() + "."})
		}
		if err := s.schemaDrift(ctx, fn); err != nil {
			return err
		}
		answers, err := s.check(ctx, "integrity_check")
		for _, answer := range answers {
			fn(history.Damage{Table: "sqlite_schema", Key: "file", Message: "The engine finds: " + answer + "."})
		}
		return err
	})
}

// liveContradictions are about the versions that are in force: the last of each
// subject.
func liveContradictions() []contradiction {
	return []contradiction{
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
	}
}

// registryContradictions are about what is live: it is what the history says,
// under its own names, and locked where it has to be.
func registryContradictions() []contradiction {
	const inForce = `live l JOIN versions v ON v.subject = l.subject AND v.number = l.version`
	return []contradiction{
		{
			"live", `SELECT subject FROM live WHERE locked <> (kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core))`,
			"The core lock is not where it belongs.",
		},
		{
			"live", `SELECT l.subject FROM ` + inForce + ` WHERE l.name <> coalesce(v.definition ->> '$.name', '')
			OR l.tool_kind <> iif(l.kind = 'tool', coalesce(v.definition ->> '$.kind', ''), '')
			OR l.category <> coalesce(v.definition ->> '$.category', '') OR l.tier <> coalesce(v.definition ->> '$.tier', '')
			OR l.approval <> coalesce(v.definition ->> '$.approval.tier', '') OR l.tag <> coalesce(v.definition ->> '$.tag.prefix', '') OR l.status <> coalesce(v.definition ->> '$.status', 'active')`,
			"What lists show of it is not what its definition says.",
		},
		{
			"names", `SELECT n.name || ' of ' || n.subject FROM names n LEFT JOIN live l ON l.subject = n.subject
			LEFT JOIN versions v ON v.subject = l.subject AND v.number = l.version
			WHERE n.name IS NOT l.id AND n.name NOT IN (SELECT value FROM json_each(coalesce(v.definition, '{}'), '$.aliases'))`,
			"The live definition does not have this name.",
		},
		{
			"names", `SELECT a.value || ' of ' || l.subject FROM ` + inForce + `,
			json_each(json_insert(coalesce(v.definition -> '$.aliases', '[]'), '$[#]', l.id)) a
			WHERE l.kind = 'tool' AND NOT EXISTS (SELECT 1 FROM names n WHERE n.name = a.value AND n.subject = l.subject)`,
			"The live definition has this name, but it does not lead there.",
		},
	}
}

// recordContradictions are about the records: the log tells of each, in the
// order in which they stand, and of none that is not there; a version has the
// decision that approved it.
func recordContradictions() []contradiction {
	list := []contradiction{
		{
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal <> '' AND NOT EXISTS (SELECT 1 FROM decisions d
			WHERE d.proposal = v.proposal AND d.verdict = 'approved' AND d.version = v.number AND d.version_hash = v.hash AND d.decided_by = v.decided_by)`,
			"No decision approved this version.",
		},
		{
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal = ''
			AND NOT EXISTS (SELECT 1 FROM events e WHERE e.record = v.hash AND e.record <> '')`,
			"No event tells of it.",
		},
		{
			"versions", `SELECT subject || ' version ' || number FROM (SELECT subject, number, seq, lag(seq, 1, 0) OVER (ORDER BY seq) AS before FROM versions)
			WHERE seq <> before + 1`,
			"It does not follow the version that was written before it.",
		},
		{
			"decisions", `SELECT d.subject || ' version ' || d.version FROM decisions d WHERE d.verdict = 'approved' AND NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = d.subject AND v.number = d.version AND v.hash = d.version_hash)`,
			"The version that this decision approved is not there.",
		},
	}
	sealed := "SELECT hash FROM versions UNION ALL SELECT hash FROM imports"
	for _, k := range plainRecords() {
		sealed += " UNION ALL SELECT seal FROM " + k.table
		list = append(
			list, contradiction{
				k.table, "SELECT '" + k.table + " row ' || t.seq FROM " + k.table + " t WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.record = t.seal AND e.record <> '')",
				"No event tells of it.",
			}, contradiction{
				k.table, strings.ReplaceAll(`SELECT 'TABLE row ' || seq FROM (SELECT t.seq, e.seq AS told,
					lag(t.seq, 1, 0) OVER in_order AS before, lag(e.seq) OVER in_order AS told_before
					FROM TABLE t LEFT JOIN events e ON e.record = t.seal AND e.record <> '' WINDOW in_order AS (ORDER BY t.seq))
				WHERE seq <> before + 1 OR told <= told_before`, "TABLE", k.table),
				"It does not stand where the log tells of it.",
			},
		)
	}
	return append(list, contradiction{
		"events", "SELECT 'event ' || seq FROM events WHERE record <> '' AND record NOT IN (" + sealed + ")",
		"The record that it tells of is not there.",
	})
}
