package audit

import (
	"bytes"
	"slices"
	"strings"
)

// expression is a value of an index that is no column; null when it is NULL.
type expression func(*row) (text []byte, null bool)

// expression returns those of the schema, by their text.
func (p *plan) expression(text string) (expression, bool) {
	switch text {
	case "substr(author, 1, instr(author, ':'))":
		author, ok := p.column("author", "TEXT")
		return func(r *row) ([]byte, bool) {
			actor := r.text(author)
			return actor[:bytes.IndexByte(actor, ':')+1], false
		}, ok
	case "substr(at, 1, 10)":
		at, ok := p.column("at", "TEXT")
		return func(r *row) ([]byte, bool) { return r.text(at)[:min(10, len(r.text(at)))], false }, ok
	case "iif(json_valid(definition), definition ->> '$.provider.name', NULL)":
		definition, ok := p.column("definition", "TEXT")
		return func(r *row) ([]byte, bool) { return wireName(r.text(definition)) }, ok
	}
	return nil, false
}

// computed returns the virtual column of a name, if what it is made of is known.
func (p *plan) computed(name string) (func(*row) int64, bool) {
	_, rest, ok := strings.Cut(p.SQL, name+" INTEGER GENERATED ALWAYS AS (")
	text, rest := enclosed(rest)
	text = strings.Join(strings.Fields(text), " ")
	if !ok || !strings.HasPrefix(rest, " VIRTUAL") || text != "min(blocks, 9999) * 10000000 + CASE worst WHEN 'block' THEN 3 WHEN 'warn' THEN 2 WHEN 'info' THEN 1 ELSE 0 END * 1000000 + min(findings, 999999)" {
		return nil, false
	}
	blocks, known := p.column("blocks", "INTEGER")
	worst, known2 := p.column("worst", "TEXT")
	findings, known3 := p.column("findings", "INTEGER")
	return func(r *row) int64 {
		rank := int64(slices.Index([]string{"info", "warn", "block"}, string(r.text(worst))) + 1)
		return min(r.int(blocks), 9999)*10000000 + rank*1000000 + min(r.int(findings), 999999)
	}, known && known2 && known3
}

// wireName returns the name in the provider of a definition. Most have none,
// which is found out without reading them: the key stands there as it is, or
// with an escape.
func wireName(definition []byte) ([]byte, bool) {
	if !bytes.Contains(definition, []byte(`vider"`)) && !bytes.Contains(definition, []byte(`\u`)) {
		return nil, true
	}
	var name []byte
	null := true
	err := members(definition, func(key, value []byte) error {
		if string(key) != "provider" || len(value) == 0 || value[0] != '{' {
			return nil
		}
		return members(value, func(key, value []byte) error {
			if string(key) != "name" || len(value) == 0 || value[0] != '"' {
				return nil
			}
			var err error
			name, err = unquote(value)
			null = false
			return err
		})
	})
	return name, null || err != nil
}
