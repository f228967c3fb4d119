// Package catalog stores the registry: versions, live versions and their names, imported documents,
// the content of binary files, and the sketches that detect near-duplicates. If decisions must be
// signed, reads return only definitions with valid signatures.
package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/engine"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Registry implements the registry interfaces of the review service.
type Registry struct{ *session.Session }

// Lists reads pages of the live definitions.
type Lists struct{ Pool *session.Pool }

// Query selects a page of live definitions, ordered by id.
type Query struct {
	Kind     registry.Kind
	View     []registry.Layer // layers to merge, weakest first
	All      bool             // include every layer and all hidden and deactivated definitions
	AsOf     time.Time        // read the live definitions at this time; zero for now
	Category string           // "" for all
	Filter   string           // case-insensitive substring of the id or name, or "" for all
	Group    *Group           // return only this group, or nil for all
	Limit    int              // 1 to review.MaxPage
	After    string           // Next of the previous page
}

// Entry is the summary of a live definition.
type Entry struct {
	Subject          registry.Subject
	Version          int
	ContentHash      string
	registry.Columns // Tag, Origin, and Source can be empty if AsOf is set
	Locked           bool
	Hides            []registry.Subject // subjects in weaker layers that the definition overrides
	// Refused is the reason why the version has no valid signature, or nil. It is always nil if
	// decisions need not be signed. A refused entry is deactivated and has no content.
	Refused error
}

// Page is a page of the catalog.
type Page struct {
	Entries []Entry
	Next    string
}

// liveRows returns a subquery that selects the live versions. If asOf is zero, these are the current
// live versions. Otherwise, the subquery selects the last version of each subject that was decided at
// or before asOf.
func liveRows(asOf time.Time) (from string, args []any) {
	if asOf.IsZero() {
		return "SELECT * FROM live", nil
	}
	return `SELECT v.subject, v.kind, v.layer, v.id, v.number AS version, v.content_hash,
			coalesce(json_extract(v.definition, CASE WHEN v.kind IN ('skill', 'instructions') THEN '$.path' ELSE '$.name' END), '') AS name,
			CASE v.kind WHEN 'tool' THEN coalesce(json_extract(v.definition, '$.kind'), '') ELSE '' END AS tool_kind,
			coalesce(json_extract(v.definition, '$.category'), '') AS category, CASE v.kind WHEN 'tool' THEN coalesce(json_extract(v.definition, '$.tier'), '') ELSE '' END AS tier,
			coalesce(json_extract(v.definition, '$.approval.tier'), '') AS approval, '' AS tag, coalesce(json_extract(v.definition, '$.status'), 'active') AS status, '' AS origin, '' AS source,
			v.kind = 'tool' AND v.layer = 'global' AND v.id IN (SELECT id FROM core) AS locked
		FROM versions v JOIN (SELECT subject, max(number) AS number FROM versions WHERE decided_at <= $1 GROUP BY subject) last
			ON last.subject = v.subject AND last.number = v.number`, []any{history.Timestamp(asOf)}
}

// Catalog returns a page of the live definitions of q.Kind, ordered by id.
func (db Lists) Catalog(ctx context.Context, q Query) (Page, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) (Page, error) {
		query, args := q.rows("")
		return q.merge(func(fn func(Entry) error) error { return Registry{Session: s}.eachEntry(ctx, q, query, args, fn) })
	})
}

// rows returns the FROM clause and all later clauses of a query, and the arguments of the query. The
// query selects live versions (alias r), contains the given join clause, and orders the rows by id and
// layer.
func (q Query) rows(join string) (query string, args []any) {
	from, args := liveRows(q.AsOf)
	query = " FROM (" + from + ") r" + join + " WHERE "
	and := func(condition string, value any) {
		args = append(args, value)
		query += fmt.Sprintf(condition, len(args))
	}
	and("r.kind = $%d", q.Kind)
	if !q.All {
		query += " AND r.layer IN (" + engine.Placeholders(len(args)+1, len(q.View)) + ")"
		args = append(args, engine.Args(q.View)...)
	}
	if q.After != "" {
		and(" AND r.id > $%d", q.After)
	}
	if q.Category != "" {
		and(" AND r.category = $%d", q.Category)
	}
	if q.Filter != "" {
		and(" AND instr(lower(r.id || '\n' || r.name), lower($%d)) > 0", q.Filter)
	}
	return query + " ORDER BY r.id, r.layer", args
}

// merge returns a page of merged entries. The function scan must pass all entries to its argument,
// ordered by id and layer.
func (q Query) merge(scan func(func(Entry) error) error) (Page, error) {
	var page Page
	err := q.eachMerged(scan, func(es []Entry) error {
		if q.Group != nil && (len(es) == 0 || groupOf(es[0]) != *q.Group) {
			return nil
		}
		if n := len(page.Entries); n >= q.Limit {
			page.Next = page.Entries[n-1].Subject.ID
			return errStop
		}
		page.Entries = append(page.Entries, es...)
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return Page{}, err
	}
	return page, nil
}

// eachMerged reads all entries with scan and merges entries with the same id. It calls fn for each id
// with the entries that remain after the merge. If no entry of an id remains, it skips the id.
func (q Query) eachMerged(scan func(func(Entry) error) error, fn func([]Entry) error) error {
	var same []Entry // entries of the current id from all layers
	flush := func() error {
		if len(same) == 0 {
			return nil
		}
		left := merged(same, q.All)
		same = same[:0]
		return fn(left)
	}
	err := scan(func(e Entry) error {
		if len(same) > 0 && same[0].Subject.ID != e.Subject.ID {
			if err := flush(); err != nil {
				return err
			}
		}
		same = append(same, e)
		return nil
	})
	if err == nil {
		err = flush()
	}
	return err
}

// errStop ends the reading of entries when a page is full.
var errStop = errors.New("enough")

// merged merges entries that have the same id. By default, the result is the entry of the strongest
// layer, with the subjects that this entry hides. The result is empty if this entry is deactivated. The
// parameter everything makes merged return all entries instead, weakest first.
func merged(entries []Entry, everything bool) []Entry {
	slices.SortFunc(entries, byStrength)
	if everything {
		weakestFirst := slices.Clone(entries)
		slices.Reverse(weakestFirst)
		return weakestFirst
	}
	top := entries[0]
	if top.Status == registry.Deactivated {
		return nil
	}
	for _, e := range slices.Backward(entries[1:]) {
		if !top.Locked { // definitions that share the id of a core tool are ignored, not hidden
			top.Hides = append(top.Hides, e.Subject)
		}
	}
	return []Entry{top}
}

// byStrength compares entries with the same id. It uses the order in which the registry
// merges layers.
func byStrength(a, b Entry) int {
	return registry.ByStrength(registry.Live{Subject: a.Subject, Locked: a.Locked}, registry.Live{Subject: b.Subject, Locked: b.Locked})
}

// Find returns the live definition that ref refers to, and the definition's canonical JSON. The
// argument ref is a subject, or an id, an alias, or a wire name in the layers of q.View.
func (db Lists) Find(ctx context.Context, q Query, ref string) (Entry, json.RawMessage, error) {
	var e Entry
	var definition []byte
	err := db.Pool.View(ctx, func(s *session.Session) error {
		var err error
		live := Registry{Session: s}
		if e, err = live.findEntry(ctx, q, ref); err != nil {
			return err
		}
		if e.Refused != nil {
			return fmt.Errorf("%s is not trusted: %w", e.Subject, e.Refused)
		}
		now, consistent := q.AsOf.IsZero(), true
		query := "SELECT v.definition, true FROM versions v WHERE v.subject = $1 AND v.number = $2"
		if now {
			query = "SELECT v.definition, " + consistentLive("l") + " " + LiveFrom + "WHERE l.subject = $1 AND l.version = $2"
		}
		found, err := s.OptionalRow(ctx, query, []any{e.Subject.String(), e.Version}, &definition, &consistent)
		if err != nil {
			return err
		}
		if !found || !consistent {
			return changedByHand(e.Subject, e.Version)
		}
		return live.same(e, definition, now)
	})
	return e, definition, err
}

// findEntry returns the entry that ref refers to in q.
func (s Registry) findEntry(ctx context.Context, q Query, ref string) (Entry, error) {
	from, args := liveRows(q.AsOf)
	query := " FROM (" + from + fmt.Sprintf(") r WHERE kind = $%d AND ", len(args)+1)
	value := fmt.Sprintf(" = $%d", len(args)+2)
	if strings.Contains(ref, ":") {
		found, err := s.entries(ctx, q, query+"subject"+value, append(args, q.Kind, ref)...)
		return table.First(found, err, "%s", ref)
	}
	ids := []string{ref}
	var several error
	aliased, err := table.All(ctx, s, table.ScanValue[string], "SELECT DISTINCT l.id FROM names n JOIN live l ON l.subject = n.subject WHERE n.name = $1", ref)
	if err != nil {
		return Entry{}, err
	}
	ids = append(ids, aliased...)
	if q.Kind == registry.KindTool {
		wired, err := s.ByWire(ctx, ref)
		if err != nil {
			return Entry{}, err
		}
		own := wired[:0:0] // tools whose name on their server is ref
		for _, l := range wired {
			if l.Definition.Tool.WireName() == ref {
				ids = append(ids, l.Subject.ID)
			} else if slices.Contains(q.View, l.Subject.Layer) {
				own = append(own, l)
			}
		}
		own = slices.CompactFunc(own, func(a, b registry.Live) bool { return a.Subject.ID == b.Subject.ID })
		if len(own) > 1 {
			names := lists.Map(own, func(l registry.Live) string { return l.Subject.ID })
			several = fmt.Errorf("%w: several servers have a tool %s; use one of the ids %s", review.ErrAmbiguous, ref, strings.Join(names, ", "))
		} else if len(own) == 1 {
			ids = append(ids, own[0].Subject.ID)
		}
	}
	for _, id := range ids {
		found, err := s.entries(ctx, q, query+"id"+value, append(slices.Clone(args), q.Kind, id)...)
		if err != nil {
			return Entry{}, err
		}
		found = slices.DeleteFunc(found, func(e Entry) bool { return !slices.Contains(q.View, e.Subject.Layer) })
		if len(found) > 0 {
			return slices.MinFunc(found, byStrength), nil
		}
	}
	if several != nil {
		return Entry{}, several
	}
	return Entry{}, proposals.Reason(proposals.ErrNotFound, "no %s is called %s", q.Kind, ref)
}

// Subject returns the subject with the id or alias ref in the given layers, even if the subject is
// deactivated. If subjects of several kinds match, the first kind in registry.SubjectKinds is chosen.
// If no subject matches, Subject returns the only active subject with the id ref in other layers, such
// as the layer of a project's folder. If there are several, it returns review.ErrAmbiguous.
func (db Lists) Subject(ctx context.Context, view []registry.Layer, ref string) (registry.Subject, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) (registry.Subject, error) {
		for _, kind := range registry.SubjectKinds() {
			e, err := Registry{Session: s}.findEntry(ctx, Query{Kind: kind, View: view}, ref)
			if !errors.Is(err, proposals.ErrNotFound) {
				return e.Subject, err
			}
		}
		others, err := table.All(ctx, s, table.ScanValue[string], "SELECT subject FROM live WHERE id = $1 AND status = 'active' ORDER BY subject", ref)
		if err == nil && len(others) == 1 {
			return registry.ParseSubject(others[0])
		} else if len(others) > 1 {
			err = fmt.Errorf("%w: several subjects have the id %s; use one of %s", review.ErrAmbiguous, ref, lists.First(others, 10))
		}
		return registry.Subject{}, cmp.Or(err, proposals.Reason(proposals.ErrNotFound, "no tool, agent, allow-list, skill, or instruction file is called %s; run toolcrib tools, toolcrib agents, toolcrib lists, or toolcrib files to list the names", ref))
	})
}

// Content implements review.RegistryReader. The table contents maps the SHA-256 of each binary file
// to its bytes.
func (s Registry) Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error) {
	ok, err = s.OptionalRow(ctx, "SELECT bytes FROM contents WHERE sha256 = $1", []any{sha256}, &data)
	if ok && registry.HashBytes(data) != sha256 {
		return nil, false, fmt.Errorf("%w: the stored bytes do not match their SHA-256 %.12s; run toolcrib verify", engine.ErrDamaged, sha256)
	}
	return data, ok, err
}

// AddContent implements review.RegistryWriter.
func (s Registry) AddContent(ctx context.Context, data []byte) error {
	if data == nil {
		data = []byte{} // the driver would store nil as NULL
	}
	_, err := s.Exec(ctx, "INSERT INTO contents (sha256, bytes) VALUES ($1, $2)", registry.HashBytes(data), data)
	return err
}
