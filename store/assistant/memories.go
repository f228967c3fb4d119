// This file stores memories and their full-text index.

package assistant

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/store/engine"
	"toolcrib/store/table"
)

// nameSeparator separates the names of entities in a text. If a name contains the separator, a
// space replaces it.
const nameSeparator = "\x1f"

// MemoryTable describes the table of memories.
var MemoryTable = table.Of("memories", memoryColumns)

func memoryColumns(m *builtin.Memory) table.Columns {
	return table.Columns{
		table.Col("id", &m.ID), table.Col("content", &m.Content), table.Col("kind", (*string)(&m.Kind)), table.Col("importance", &m.Importance), table.Col("tags", table.List(&m.Tags)),
		table.Col("expires_at", table.MaybeTime(&m.Expires)), table.Col("created_at", table.Time(&m.Created)), table.Col("updated_at", table.Time(&m.Updated)),
	}
}

func linkedMemory(m *builtin.Memory) table.Columns {
	entities := table.Stored(&m.Entities, func([]string) string { return "" }, func(text string) ([]string, error) {
		if text == "" {
			return []string{}, nil
		}
		return strings.Split(text, nameSeparator), nil
	})
	return append(memoryColumns(m), table.Col("project", &m.Project), table.Col("entities", entities))
}

// selectMemories is the start of a query that selects the columns of linkedMemory with the aliases
// m (memories) and p (projects).
var selectMemories = "SELECT " + memoryColumns(new(builtin.Memory)).Of("m") + `, coalesce(p.name, ''),
	coalesce((SELECT string_agg(replace(name, '` + nameSeparator + `', ' '), '` + nameSeparator + `') FROM (SELECT DISTINCT e.name FROM memory_links l JOIN entities e ON e.id = l.target
		WHERE l.memory = m.id AND l.deleted_at = '' AND l.to_entity = 1 ORDER BY e.name) linked), '')`

const fromMemories = " FROM memories m LEFT JOIN projects p ON p.id = m.project "

// MemoriesByID implements builtin.Reader.
func (a *tables) MemoriesByID(ctx context.Context, ids []string) ([]builtin.Memory, error) {
	return byIDs(ctx, a, table.Reading(linkedMemory), selectMemories+fromMemories+"WHERE m.owner = $1 AND m.id = $2 AND m.deleted_at = ''", ids)
}

// MemoriesByKey implements builtin.Reader.
func (a *tables) MemoriesByKey(ctx context.Context, keys []int64) (map[int64]builtin.Memory, error) {
	return byKeys(ctx, a, table.Reading(linkedMemory), selectMemories+fromMemories+"WHERE m.owner = $1 AND m.seq = $2 AND m.deleted_at = ''", keys)
}

// Memories implements builtin.Reader.
func (a *tables) Memories(ctx context.Context, f builtin.MemoryFilter, limit int) ([]builtin.Memory, error) {
	if f.Tag != "" {
		return a.tagged(ctx, f, limit)
	}
	where, args, index := "m.owner = ? AND m.deleted_at = ''", []any{a.owner}, "memories_by_owner"
	if f.Project != "" {
		project, err := a.project(ctx, f.Project)
		if err != nil {
			return nil, err
		}
		where, args, index = where+" AND m.project = ? AND m.project IS NOT NULL", append(args, project), "memories_by_project"
	}
	if f.Kind != "" {
		where, args = where+" AND m.kind = ?", append(args, f.Kind)
		if index += "_kind"; index == "memories_by_owner_kind" {
			index = "memories_by_kind"
		}
	}
	where, args, err := a.since(ctx, f, "m.seq", where, args)
	if err != nil {
		return nil, err
	}
	return table.All(ctx, a.session, table.Reading(linkedMemory), engine.Numbered(selectMemories+" FROM memories m"+a.session.Hints.IndexedBy(index)+" LEFT JOIN projects p ON p.id = m.project WHERE "+where+
		" ORDER BY m.seq DESC LIMIT ?"), append(args, limit)...)
}

// since restricts a query to memories that changed after f.Since. The argument key is an SQL
// expression for the key of a memory. Later changes have larger keys.
func (a *tables) since(ctx context.Context, f builtin.MemoryFilter, key, where string, args []any) (string, []any, error) {
	if f.Since.IsZero() {
		return where, args, nil
	}
	from := history.Timestamp(f.Since)
	var first int64
	err := a.session.Row(ctx, "SELECT coalesce((SELECT seq FROM memories WHERE owner = $1 AND updated_at >= $2 AND deleted_at = '' ORDER BY updated_at, seq LIMIT 1), 0)", []any{a.owner, from}, &first)
	return where + " AND " + key + " >= ? AND m.updated_at >= ?", append(args, first, from), err
}

// AddMemory implements builtin.Writer.
func (a *tables) AddMemory(ctx context.Context, m builtin.Memory, terms []string) error {
	project, err := a.project(ctx, m.Project)
	if err != nil {
		return err
	}
	if err := table.Add(ctx, a.session, MemoryTable.Name, "seq", append(a.owns(memoryColumns(&m)), table.Col("project", &project))); err != nil {
		return err
	}
	return a.index(ctx, m.ID, terms)
}

// ChangeMemory implements builtin.Writer.
func (a *tables) ChangeMemory(ctx context.Context, m builtin.Memory, terms []string) error {
	project, err := a.project(ctx, m.Project)
	if err != nil {
		return err
	}
	if err := errors.Join(a.unindex(ctx, m.ID), a.countInProject(ctx, m.ID, -1)); err != nil {
		return err
	}
	newest, err := table.Next(ctx, a.session, "memories")
	if err != nil {
		return err
	}
	if err := a.change(ctx, MemoryTable.Name, "memory", m.ID, append(memoryColumns(&m), table.Col("project", &project), table.Col("seq", &newest))); err != nil {
		return err
	}
	return errors.Join(a.countInProject(ctx, m.ID, 1), a.index(ctx, m.ID, terms))
}

// RemoveMemory implements builtin.Writer.
func (a *tables) RemoveMemory(ctx context.Context, id string) (bool, error) {
	var found bool
	err := a.session.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND id = $2 AND deleted_at = '')", []any{a.owner, id}, &found)
	if err != nil || !found {
		return false, err
	}
	if err := errors.Join(a.unindex(ctx, id), a.countInProject(ctx, id, -1), a.unlink(ctx, id)); err != nil {
		return false, err
	}
	return a.remove(ctx, "UPDATE memories SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}

// Prefixes of the search terms for filters. No other term contains these characters.
const (
	kindMark       = "@"
	projectMark    = "$"
	importanceMark = "!"
	tagMark        = "#"
)

// term returns the search term for text. The term consists of the key of the owner, mark, and text.
func (a *tables) term(mark, text string) string {
	return strconv.FormatInt(a.owner, 36) + mark + text
}

// tagTerm returns the search term for a tag. The term contains a hash, because a tag can contain
// any characters.
func (a *tables) tagTerm(tag string) string {
	sum := sha256.Sum256([]byte(builtin.NameKey(tag)))
	return a.term(tagMark, hex.EncodeToString(sum[:8]))
}

// index adds a memory to the full-text index, with the given terms and the terms for filters.
func (a *tables) index(ctx context.Context, id string, terms []string) error {
	var seq int64
	var kind, project, tags string
	var importance int
	err := a.session.Row(ctx, "SELECT seq, kind, importance, coalesce(CAST(project AS text), ''), tags FROM memories WHERE owner = $1 AND id = $2 AND deleted_at = ''",
		[]any{a.owner, id}, &seq, &kind, &importance, &project, &tags)
	if err != nil {
		return table.Missing(err, "memory %s", id)
	}
	facets := []string{a.term(kindMark, kind), a.term(importanceMark, strconv.Itoa(importance))}
	if project != "" {
		facets = append(facets, a.term(projectMark, project))
	}
	names, err := table.ParseList(tags)
	if err != nil {
		return err
	}
	for _, tag := range names {
		facets = append(facets, a.tagTerm(tag))
	}
	_, err = a.session.Exec(ctx, "INSERT INTO memories_text (rowid, terms) VALUES ($1, $2)", seq, a.join(terms, facets))
	return err
}

func (a *tables) join(terms, facets []string) string {
	var b strings.Builder
	for _, t := range terms {
		b.WriteString(a.term("", t))
		b.WriteByte(' ')
	}
	b.WriteString(strings.Join(facets, " "))
	return b.String()
}

func (a *tables) unindex(ctx context.Context, id string) error {
	_, err := a.session.Exec(ctx, "DELETE FROM memories_text WHERE rowid = (SELECT seq FROM memories WHERE owner = $1 AND id = $2 AND deleted_at = '')", a.owner, id)
	return err
}

// IndexMemory implements builtin.Writer.
func (a *tables) IndexMemory(ctx context.Context, id string, terms []string) error {
	if err := a.unindex(ctx, id); err != nil {
		return err
	}
	return a.index(ctx, id, terms)
}

// narrow returns the search terms that a memory must have to match f.
func (a *tables) narrow(ctx context.Context, f builtin.MemoryFilter) ([]string, error) {
	var terms []string
	if f.Kind != "" {
		terms = append(terms, a.term(kindMark, f.Kind))
	}
	if f.Importance > 0 {
		terms = append(terms, a.term(importanceMark, strconv.Itoa(f.Importance)))
	}
	if f.Tag != "" {
		terms = append(terms, a.tagTerm(f.Tag))
	}
	if f.Project != "" {
		project, err := a.project(ctx, f.Project)
		if err != nil {
			return nil, err
		}
		terms = append(terms, a.term(projectMark, strconv.FormatInt(project.Int64, 10)))
	}
	return terms, nil
}

// MatchMemories implements builtin.Reader. Its query returns all keys as a single text, which is
// cheaper than a row for each key.
func (a *tables) MatchMemories(ctx context.Context, terms []string, f builtin.MemoryFilter, limit int) ([]int64, error) {
	wanted, err := a.narrow(ctx, f)
	if err != nil {
		return nil, err
	}
	for _, t := range terms {
		wanted = append(wanted, a.term("", t))
	}
	if len(wanted) == 0 {
		return a.keys(ctx, "SELECT seq AS key FROM memories WHERE owner = $1 AND deleted_at = '' ORDER BY seq DESC LIMIT $2", a.owner, limit)
	}
	has := a.session.Engine.HasTerms("memories_text", wanted)
	return a.keys(ctx, engine.Numbered("SELECT rowid AS key FROM memories_text WHERE "+has.SQL+" ORDER BY rowid DESC LIMIT ?"), append(has.Args, limit)...)
}

// keys runs a query that selects a column with the name key. It returns the values of this column.
func (a *tables) keys(ctx context.Context, query string, args ...any) ([]int64, error) {
	var text string
	if err := a.session.Row(ctx, "SELECT coalesce(string_agg(CAST(key AS text), ','), '') FROM ("+query+") found", args, &text); err != nil || text == "" {
		return nil, err
	}
	parts := strings.Split(text, ",")
	keys := make([]int64, len(parts))
	for i, p := range parts {
		if err := table.Into(&keys[i], func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }, p); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// tagged returns the newest memories that match f. The filter must have a tag.
func (a *tables) tagged(ctx context.Context, f builtin.MemoryFilter, limit int) ([]builtin.Memory, error) {
	terms, err := a.narrow(ctx, f)
	if err != nil {
		return nil, err
	}
	has := a.session.Engine.HasTerms("memories_text", terms)
	where, args, err := a.since(ctx, f, "x.rowid", has.SQL+" AND m.owner = ? AND m.deleted_at = ''", append(has.Args, a.owner))
	if err != nil {
		return nil, err
	}
	return table.All(ctx, a.session, table.Reading(linkedMemory), engine.Numbered(selectMemories+" FROM memories_text x CROSS JOIN memories m LEFT JOIN projects p ON p.id = m.project WHERE m.seq = x.rowid AND "+where+
		" ORDER BY x.rowid DESC LIMIT ?"), append(args, limit)...)
}
