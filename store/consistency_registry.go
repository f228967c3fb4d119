package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// liveChecks find subjects whose live version is not the last one.
func liveChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"live", `SELECT l.subject FROM live l WHERE NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = l.subject AND v.number = l.version AND v.content_hash = l.content_hash)
			OR l.version <> (SELECT max(number) FROM versions WHERE subject = l.subject)`,
			"The live version is not the last approved one.",
		},
		{
			"live", `SELECT DISTINCT subject FROM versions WHERE subject NOT IN (SELECT subject FROM live)`,
			"There are versions, but nothing is live.",
		},
	}
}

// registryChecks compare the lock of the live registry with the core, and versions with
// the approvals that they count.
func registryChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"live", `SELECT subject FROM live WHERE locked <> CASE WHEN kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core) THEN 1 ELSE 0 END`,
			"Its lock is wrong: core tools, and only they, are locked.",
		},
		{
			// The decisions that approvals name are there; ids are in no other text.
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.approvals <> ''
			AND length(v.approvals) - length(replace(v.approvals, '"decision":', '')) <> 11 * (SELECT count(*) FROM decisions d
				WHERE d.proposal = v.proposal AND d.revision = v.revision AND d.verdict = 'endorsed' AND replace(v.approvals, d.id, '') <> v.approvals)`,
			"An approval that it counts is not recorded.",
		},
	}
}

// liveColumnsAgree reports subjects that lists show, or look up, otherwise than
// the definition of their live version has them.
func (f *facts) liveColumnsAgree(ctx context.Context, s *session, fn func(history.Damage)) error {
	names := liveNames{wanted: map[string]bool{}, unreadable: map[string]bool{}}
	query := "SELECT l.subject, l.kind, l.layer, l.id, l.name, l.tool_kind, l.category, l.tier, l.approval, l.tag, l.status, l.origin, l.source, l.size, v.definition " + liveFrom
	err := s.Each(ctx, query, nil, func(row scanner) error {
		var subject, kind, layer, id string
		var definition []byte
		var shown registry.Columns
		var size int
		err := row.Scan(&subject, &kind, &layer, &id, &shown.Name, &shown.ToolKind, &shown.Category, &shown.Tier, &shown.Approval, &shown.Tag, &shown.Status, &shown.Origin, &shown.Source, &size, &definition)
		if err != nil {
			return err
		}
		if !namesSubject(subject, kind, layer, id) {
			fn(history.Damage{Table: "live", Key: subject, Message: otherSubject})
		}
		of, _, _ := strings.Cut(subject, ":")
		derived := f.of(registry.Kind(of), definition)
		if derived.err != nil {
			names.unreadable[subject] = true
			return nil //nolint:nilerr // verification reports a version that cannot be read
		}
		if shown != derived.columns || size != len(definition) {
			fn(history.Damage{Table: "live", Key: subject, Message: "The values that lists show do not match its definition."})
		}
		for _, name := range derived.names {
			names.wanted[name+" of "+subject] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return names.compare(ctx, s, fn)
}

// liveNames are the ids and the aliases that live definitions have.
type liveNames struct {
	wanted     map[string]bool // "pace_scene of tool:user/scene_pacer"
	unreadable map[string]bool // subjects whose names are not known
}

// compare reports names that lookups find and definitions lack, and the reverse.
func (n liveNames) compare(ctx context.Context, s *session, fn func(history.Damage)) error {
	err := s.Each(ctx, "SELECT name, subject FROM names", nil, func(row scanner) error {
		var name, subject string
		if err := row.Scan(&name, &subject); err != nil {
			return err
		}
		key := name + " of " + subject
		if !n.wanted[key] && !n.unreadable[subject] {
			fn(history.Damage{Table: "names", Key: key, Message: "The live definition does not have this name."})
		}
		delete(n.wanted, key)
		return nil
	})
	for _, key := range slices.Sorted(maps.Keys(n.wanted)) {
		fn(history.Damage{Table: "names", Key: key, Message: "The live definition has this name, but the name does not point to it."})
	}
	return err
}

// sketchInspections returns the inspections of near-duplicate sketches: one for
// sketches without a version, and one for each block, which looks for a sketch of each
// version, and with deep computes it again.
func (l Ledger) sketchInspections(ctx context.Context, deep bool) ([]inspection, error) {
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
			return sketchTables{s}.checkSketches(ctx, block, deep, fn)
		}})
	}
	return list, nil
}

// checkSketches reports a block whose sketches are of other versions, or with deep other
// sketches, than it should have.
func (s sketchTables) checkSketches(ctx context.Context, block int64, deep bool, fn func(history.Damage)) error {
	first, last := block*sketchBlock, (block+1)*sketchBlock-1
	text, purpose, err := s.storedSketches(ctx, block)
	if err != nil {
		return err
	}
	var same bool
	if deep {
		same, err = s.sameSketches(ctx, text, purpose, first, last)
	} else {
		var ids []int64
		ids, err = all(ctx, s, scanValue[int64], "SELECT seq FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", first, last)
		same = sketchesOf(text, ids) && sketchesOf(purpose, ids)
	}
	if err != nil {
		return err
	}
	if !same {
		fn(history.Damage{
			Table: "sketches", Key: fmt.Sprintf("sketches block %d", block),
			Message: fmt.Sprintf("The near-duplicate sketches of the versions in rows %d to %d do not match their definitions.", max(first, 1), last),
		})
	}
	return nil
}

// sketchesOf reports whether stored blocks have the sketches of some versions.
func sketchesOf(stored []byte, ids []int64) bool {
	var have overlap.Index
	return have.Load(stored) == nil && slices.Equal(have.IDs(), ids)
}

// sameSketches reports whether stored blocks have the sketches that the versions of some
// rows should have.
func (s sketchTables) sameSketches(ctx context.Context, text, purpose []byte, first, last int64) (bool, error) {
	var wantText, wantPurpose overlap.Index
	err := s.Each(ctx, "SELECT seq, definition FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", []any{first, last}, func(row scanner) error {
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
	return equalSketches(text, &wantText) && equalSketches(purpose, &wantPurpose), err
}

// storedSketches returns the sketches of a block: its row, and the rows of
// versions that were not packed yet.
func (s sketchTables) storedSketches(ctx context.Context, block int64) (text, purpose []byte, err error) {
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

// equalSketches reports whether stored blocks have the entries of want, however they are
// divided into blocks.
func equalSketches(stored []byte, want *overlap.Index) bool {
	var have overlap.Index
	if have.Load(stored) != nil {
		return false
	}
	a, err := have.AppendBinary(nil)
	b, err2 := want.AppendBinary(nil)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}

// assistantChecks compare the counters and the search index of the assistant's data
// with its rows, and find references between rows of different users.
func assistantChecks() []consistencyCheck {
	const counted = `SELECT owner, substr(due, 1, 10) AS day, count(*) AS n FROM tasks WHERE status = 'open' AND deleted_at = '' GROUP BY 1, 2`
	const linked = `SELECT count(DISTINCT l.memory) FROM memory_links l JOIN memories m ON m.id = l.memory
		WHERE l.target = e.id AND l.deleted_at = '' AND m.deleted_at = ''`
	return []consistencyCheck{
		{
			"task_days", `SELECT coalesce(d.owner, c.owner) || ' ' || coalesce(d.day, c.day) FROM task_days d
			FULL JOIN (` + counted + `) c ON c.owner = d.owner AND c.day = d.day WHERE d.n IS DISTINCT FROM c.n`,
			"Its count of open tasks is wrong.",
		},
		{"entities", `SELECT e.id FROM entities e WHERE e.memories <> (` + linked + `) OR (e.deleted_at = '') <> (e.memories > 0)`, "Its count of linked memories is wrong."},
		{
			"entity_projects", `SELECT x.project || ' ' || x.entity FROM entity_projects x JOIN entities e ON e.seq = x.entity
			WHERE x.n <> (` + linked + ` AND m.project = x.project)`,
			"Its count of linked memories of the project is wrong.",
		},
		{"memories", `SELECT m.id FROM memories m WHERE (m.deleted_at = '') <> EXISTS (SELECT 1 FROM memories_text WHERE rowid = m.seq)`, "It is deleted and searches find it, or it exists and they do not."},
		{"entities", `SELECT e.id FROM entities e WHERE (e.deleted_at = '') <> EXISTS (SELECT 1 FROM entities_text WHERE rowid = e.seq)`, "It is deleted and searches find it, or it exists and they do not."},
		{
			"projects", `SELECT p.id FROM projects p WHERE EXISTS (SELECT 1 FROM tasks WHERE project = p.id AND owner <> p.owner)
			OR EXISTS (SELECT 1 FROM memories WHERE project = p.id AND owner <> p.owner)
			OR EXISTS (SELECT 1 FROM conversations WHERE project = p.id AND owner <> p.owner)`,
			"It has a part that belongs to another user.",
		},
		{
			"memory_links", `SELECT l.seq FROM memory_links l JOIN memories m ON m.id = l.memory WHERE l.deleted_at = '' AND (m.owner <> l.owner
			OR l.to_entity NOT IN (0, 1) OR l.to_entity = 1 AND NOT EXISTS (SELECT 1 FROM entities WHERE id = l.target AND owner = l.owner)
			OR l.to_entity = 0 AND NOT EXISTS (SELECT 1 FROM memories WHERE id = l.target AND owner = l.owner))`,
			"Its target is missing, or belongs to another user.",
		},
	}
}

// nameKeys reports projects and entities that are looked up by another name than
// they have.
func nameKeys(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, `SELECT 'projects', CAST(id AS text), name, name_key FROM projects UNION ALL SELECT 'entities', id, name, name_key FROM entities`, nil, func(row scanner) error {
		var table, id, name, key string
		if err := row.Scan(&table, &id, &name, &key); err != nil {
			return err
		}
		if want := map[string]func(string) string{"projects": builtin.NameKey, "entities": builtin.EntityKey}[table]; key != want(name) {
			fn(history.Damage{Table: table, Key: id, Message: "It is looked up by another name than it has."})
		}
		return nil
	})
}

// callChecks compare the runtime log with the versions and the user's answers: each
// call ran an approved version, with the user's approval where it was needed.
func callChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"calls", `SELECT 'call ' || c.seq FROM calls c WHERE c.nth > 0 AND NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = c.tool AND v.number = c.version AND v.content_hash = c.content_hash)`,
			"It ran a version that was not approved.",
		},
		{
			"calls", `SELECT 'call ' || c.seq FROM calls c WHERE c.nth > 0 AND c.pending <> '' AND NOT EXISTS (SELECT 1 FROM call_answers a
			WHERE a.pending = c.pending AND a.approved = 1 AND a.call = c.id)`,
			"It ran for a pending call that the user did not approve.",
		},
		{
			"call_answers", `SELECT 'answer ' || a.seq FROM call_answers a JOIN pending_calls p ON p.id = a.pending
			LEFT JOIN calls c ON c.id = a.call AND c.pending = a.pending AND c.tool = p.tool AND c.version = p.version
			WHERE a.approved = 1 AND c.id IS NULL AND substr(p.agent, 1, 6) <> 'guard:'`, // a guarded call starts when its client calls again
			"The call that this answer started is missing.",
		},
		{
			"call_answers", `SELECT 'answer ' || a.seq FROM call_answers a LEFT JOIN pending_calls p ON p.id = a.pending
			WHERE p.id IS NULL OR p.digest <> a.digest`,
			"It does not match the call that the user was asked about.",
		},
		{
			"calls_open", `SELECT 'call ' || c.seq FROM calls c LEFT JOIN call_outcomes o ON o.call = c.id LEFT JOIN calls_open n ON n.seq = c.seq
			WHERE (o.call IS NULL) <> (n.seq IS NOT NULL)
			UNION ALL SELECT 'call ' || n.seq FROM calls_open n WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.seq = n.seq)`,
			"The list of calls without an outcome is wrong about it.",
		},
		{
			"call_refusals", `SELECT coalesce(r.agent, c.agent) || ' ' || coalesce(r."user", c."user") || ' ' || coalesce(r.hour, c.hour) FROM call_refusals r
			FULL JOIN (SELECT agent, "user", substr(at, 1, 13) AS hour, count(*) AS n FROM calls WHERE nth = 0 GROUP BY 1, 2, 3) c
			ON c.agent = r.agent AND c."user" = r."user" AND c.hour = r.hour WHERE coalesce(r.written, 0) <> coalesce(c.n, 0)
			OR r.last_at IS NOT NULL AND substr(r.last_at, 1, 13) <> r.hour`,
			"Its count of refused calls differs from the calls that were recorded as refused.",
		},
		{
			"call_outcomes", `SELECT 'outcome ' || o.seq FROM call_outcomes o WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = o.call)`,
			"Its call is missing.",
		},
	}
}
