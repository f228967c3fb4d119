package audit

import (
	"iter"
	"slices"
	"strings"
)

// Table is a table of the schema as the engine describes it.
type Table struct {
	Name         string
	Root         uint32 // page of its tree, 0 for virtual tables
	SQL          string
	WithoutRowid bool
	Strict       bool
	Columns      []Column
	Indexes      []Index
}

// Column is a column of a table.
type Column struct {
	Name    string
	Type    string
	NotNull bool
	Key     int    // its place in the primary key, from 1; 0 when it is none of it
	Default string // as SQL, "" when there is none
	Virtual bool   // computed where it is read, and not stored
}

// Index is an index that has a tree of its own.
type Index struct {
	Name    string
	Root    uint32
	SQL     string // "" for what a constraint makes
	Unique  bool
	Columns []IndexColumn
}

// IndexColumn is one value of an entry.
type IndexColumn struct {
	Column int // of the table, -1 for the rowid, -2 for an expression
	Desc   bool
	Binary bool // the collation
	Key    bool // not what is appended to tell equal keys apart
}

// plan is a table with what every row of it has to keep.
type plan struct {
	Table
	place   []int // where the record has the column
	alias   int   // the column that is the rowid, -1 when none is
	stored  int   // the values of a record
	keys    int   // those that begin the record of a table without rowids
	virtual map[int]func(*row) int64
	checks  []condition
	indexes []*index
	missing []defaultValue // by column
	lacks   string         // a column that was looked for
	seal    *sealed
	forms   []form
}

// index is an index with what rows and entries came to. Sums of keyed hashes do
// not depend on the order.
type index struct {
	Index
	parts []part
	where condition // nil for all rows
	keys  int
	rows  tally
	found tally
}

// planOf returns the plan of a table, false when something of it is not known
// here: then the engine has to look at it.
func planOf(t Table, forms []form) (*plan, bool) {
	p := &plan{Table: t, alias: -1, forms: forms, virtual: map[int]func(*row) int64{}}
	if t.Root == 0 || !t.Strict || !p.placed() {
		return nil, false
	}
	p.defaults()
	texts, ok := checksOf(t.SQL)
	if !ok {
		return nil, false
	}
	for _, text := range texts {
		c, ok := p.condition(text)
		if !ok {
			return nil, false
		}
		p.checks = append(p.checks, c)
	}
	for _, i := range t.Indexes {
		x, ok := p.index(i)
		if !ok {
			return nil, false
		}
		p.indexes = append(p.indexes, x)
	}
	return p, true
}

// placed finds out where records have the columns: in a table without rowids
// those of the key come first
// (https://www.sqlite.org/fileformat2.html#representation_of_sql_tables).
func (p *plan) placed() bool {
	p.place = make([]int, len(p.Columns))
	for i, c := range p.Columns {
		if c.Type != "TEXT" && c.Type != "INTEGER" && c.Type != "BLOB" {
			return false
		}
		switch {
		case c.Virtual:
			compute, ok := p.computed(c.Name)
			if !ok || p.WithoutRowid {
				return false
			}
			p.virtual[i], p.place[i] = compute, -1
			continue
		case c.Key > 0:
			p.keys++
		case !c.NotNull:
			return false
		}
		p.place[i], p.stored = p.stored, p.stored+1
	}
	if !p.WithoutRowid {
		alias := slices.IndexFunc(p.Columns, func(c Column) bool { return c.Key > 0 })
		if p.keys != 1 || p.Columns[alias].Type != "INTEGER" {
			return false
		}
		p.alias, p.keys = alias, 0
		return true
	}
	next := p.keys
	for i, c := range p.Columns {
		if c.Key > 0 {
			p.place[i] = c.Key - 1
			continue
		}
		p.place[i], next = next, next+1
	}
	return true
}

func (p *plan) index(i Index) (*index, bool) {
	x := &index{Index: i}
	list, where := split(i.SQL)
	for n, c := range i.Columns {
		if c.Desc || !c.Binary {
			return nil, false
		}
		if c.Key {
			x.keys++
		}
		switch {
		case c.Column >= 0 && p.virtual[c.Column] != nil:
			x.parts = append(x.parts, part{computed: p.virtual[c.Column]})
		case c.Column >= 0:
			x.parts = append(x.parts, part{column: c.Column})
		case c.Column == -1 && !p.WithoutRowid:
			x.parts = append(x.parts, part{column: p.alias})
		case c.Column == -2 && n < len(list):
			expression, ok := p.expression(list[n])
			if !ok {
				return nil, false
			}
			x.parts = append(x.parts, part{expression: expression})
		default:
			return nil, false
		}
	}
	if where == "" {
		return x, true
	}
	var ok bool
	x.where, ok = p.condition(where)
	return x, ok
}

// split takes the statement that made an index apart into what it lists and
// its condition.
func split(statement string) (list []string, where string) {
	open := strings.Index(statement, " (")
	if open < 0 {
		return nil, ""
	}
	inner, rest := enclosed(statement[open+2:])
	_, where, _ = strings.Cut(rest, "WHERE ")
	return outside(inner, ", "), strings.TrimSpace(where)
}

// enclosed returns what stands before the bracket that closes the one before s,
// and what follows it.
func enclosed(s string) (inner, rest string) {
	for i, depth := range nesting(s) {
		if depth < 0 {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// outside splits s at separators that stand neither in brackets nor in quotes.
func outside(s, separator string) []string {
	var parts []string
	from := 0
	for i, depth := range nesting(s) {
		if depth == 0 && i >= from && strings.HasPrefix(s[i:], separator) {
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + len(separator)
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// nesting goes through the bytes of s that stand in no quotes: where each is, and
// how many brackets are open behind it.
func nesting(s string) iter.Seq2[int, int] {
	return func(yield func(at, depth int) bool) {
		depth, quoted := 0, false
		for i := range len(s) {
			switch s[i] {
			case '\'':
				quoted = !quoted
				continue
			case '(':
				if !quoted {
					depth++
				}
			case ')':
				if !quoted {
					depth--
				}
			}
			if !quoted && !yield(i, depth) {
				return
			}
		}
	}
}

// checksOf returns the conditions of the CHECK constraints of a table. Comments
// could hide one, so there may be none.
func checksOf(statement string) ([]string, bool) {
	if strings.Contains(statement, "--") || strings.Contains(statement, "/*") {
		return nil, false
	}
	pieces := strings.Split(statement, "CHECK (")
	var checks []string
	for _, piece := range pieces[1:] {
		inner, _ := enclosed(piece)
		checks = append(checks, inner)
	}
	return checks, strings.Count(strings.ToUpper(statement), "CHECK") == len(checks)
}

// defaultValue is what a row has that is older than its column.
type defaultValue struct {
	known bool
	text  []byte
}

// defaults reads the defaults of columns; only those of texts are known here.
func (p *plan) defaults() {
	p.missing = make([]defaultValue, len(p.Columns))
	for i, c := range p.Columns {
		if text, ok := strings.CutPrefix(c.Default, "'"); ok && c.Type == "TEXT" && strings.Count(text, "'") == 1 {
			p.missing[i] = defaultValue{true, []byte(strings.TrimSuffix(text, "'"))}
		}
	}
}

// at finds a column by name. A table that lacks it can not be read here.
func (p *plan) at(name string) int {
	i := slices.IndexFunc(p.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		p.lacks = name
	}
	return i
}
