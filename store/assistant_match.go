package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"toolcrib/gateway/builtin"
)

// The terms that lists are narrowed by, each kind behind a character that no
// term of the program's has.
const (
	kindMark       = "@"
	projectMark    = "$"
	importanceMark = "!"
	tagMark        = "#"
)

// term makes a term the owner's.
func (a assistant) term(mark, text string) string {
	return strconv.FormatInt(a.owner, 36) + mark + text
}

// tagTerm returns the search term of a tag, whatever characters it has.
func (a assistant) tagTerm(tag string) string {
	sum := sha256.Sum256([]byte(builtin.NameKey(tag)))
	return a.term(tagMark, hex.EncodeToString(sum[:8]))
}

// facets are the terms by which a memory is narrowed to.
func (a assistant) facets(ctx context.Context, id string) (seq int64, terms []string, err error) {
	var kind, project, tags string
	var importance int
	err = a.s.Row(ctx, "SELECT seq, kind, importance, coalesce(CAST(project AS text), ''), tags FROM memories WHERE owner = $1 AND id = $2 AND deleted_at = ''",
		[]any{a.owner, id}, &seq, &kind, &importance, &project, &tags)
	if err != nil {
		return 0, nil, missing(err, "memory %s", id)
	}
	terms = []string{a.term(kindMark, kind), a.term(importanceMark, strconv.Itoa(importance))}
	if project != "" {
		terms = append(terms, a.term(projectMark, project))
	}
	names, err := parseList(tags)
	for _, tag := range names {
		terms = append(terms, a.tagTerm(tag))
	}
	return seq, terms, err
}

// index makes a memory findable by terms and by its filters.
func (a assistant) index(ctx context.Context, id string, terms []string) error {
	seq, facets, err := a.facets(ctx, id)
	if err != nil {
		return err
	}
	_, err = a.s.Exec(ctx, "INSERT INTO memories_text (rowid, terms) VALUES ($1, $2)", seq, a.join(terms, facets))
	return err
}

func (a assistant) join(terms, facets []string) string {
	var b strings.Builder
	for _, t := range terms {
		b.WriteString(a.term("", t))
		b.WriteByte(' ')
	}
	b.WriteString(strings.Join(facets, " "))
	return b.String()
}

func (a assistant) unindex(ctx context.Context, id string) error {
	_, err := a.s.Exec(ctx, "DELETE FROM memories_text WHERE rowid = (SELECT seq FROM memories WHERE owner = $1 AND id = $2 AND deleted_at = '')", a.owner, id)
	return err
}

// IndexMemory implements builtin.Writer.
func (a assistant) IndexMemory(ctx context.Context, id string, terms []string) error {
	if err := a.unindex(ctx, id); err != nil {
		return err
	}
	return a.index(ctx, id, terms)
}

// narrow returns the terms that a memory has which a filter lets through.
func (a assistant) narrow(ctx context.Context, f builtin.MemoryFilter) ([]string, error) {
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

// MatchMemories implements builtin.Reader. The keys come as one text,
// which costs less than a row for each.
func (a assistant) MatchMemories(ctx context.Context, terms []string, f builtin.MemoryFilter, limit int) ([]int64, error) {
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
	has := a.s.engine.HasTerms("memories_text", wanted)
	return a.keys(ctx, numbered("SELECT rowid AS key FROM memories_text WHERE "+has.SQL+" ORDER BY rowid DESC LIMIT ?"), append(has.Args, limit)...)
}

// keys returns the keys that a query selects.
func (a assistant) keys(ctx context.Context, query string, args ...any) ([]int64, error) {
	var text string
	if err := a.s.Row(ctx, "SELECT coalesce(string_agg(CAST(key AS text), ','), '') FROM ("+query+") found", args, &text); err != nil || text == "" {
		return nil, err
	}
	parts := strings.Split(text, ",")
	keys := make([]int64, len(parts))
	for i, p := range parts {
		if err := into(&keys[i], func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }, p); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// tagged returns the newest memories with a tag.
func (a assistant) tagged(ctx context.Context, f builtin.MemoryFilter, limit int) ([]builtin.Memory, error) {
	terms, err := a.narrow(ctx, f)
	if err != nil {
		return nil, err
	}
	has := a.s.engine.HasTerms("memories_text", terms)
	where, args, err := a.since(ctx, f, "x.rowid", has.SQL+" AND m.owner = ? AND m.deleted_at = ''", append(has.Args, a.owner))
	if err != nil {
		return nil, err
	}
	return all(ctx, a.s, scanMemory, numbered("SELECT "+memoryColumns+" FROM memories_text x CROSS JOIN memories m LEFT JOIN projects p ON p.id = m.project WHERE m.seq = x.rowid AND "+where+
		" ORDER BY x.rowid DESC LIMIT ?"), append(args, limit)...)
}
