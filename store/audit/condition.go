package audit

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// condition is a CHECK of a table or the WHERE of an index.
type condition func(*row) bool

// form is a simple condition.
type form struct {
	pattern *regexp.Regexp
	make    func(p *plan, m []string) (condition, bool)
}

// newForms returns the simple conditions that the schema is written with.
// Others are not known here.
func newForms() []form {
	return []form{
		{regexp.MustCompile(`^(\w+) IN \(('[^']*'(?:, '[^']*')*)\)$`), (*plan).oneOfTexts},
		{regexp.MustCompile(`^(\w+) IN \((\d+(?:, \d+)*)\)$`), (*plan).oneOfNumbers},
		{regexp.MustCompile(`^length\((\w+)\) = (\d+)$`), (*plan).length},
		{regexp.MustCompile(`^(\w+) (=|<>|>|>=) (\d+)$`), (*plan).number},
		{regexp.MustCompile(`^(\w+) (=|<>) '([^']*)'$`), (*plan).same},
		{regexp.MustCompile(`^(\w+) GLOB '([a-z]+:)(\?\*|\*)'$`), (*plan).begins},
		{regexp.MustCompile(`^(\w+) = (\w+) \|\| ':' \|\| (\w+) \|\| '/' \|\| (\w+)$`), (*plan).subject},
		{regexp.MustCompile(`^\(([^()]*)\) = \(([^()]*)\)$`), (*plan).both},
		{regexp.MustCompile(`^(\w+) = \(([^()]*)\)$`), (*plan).flag},
	}
}

// condition compiles the text of one.
func (p *plan) condition(text string) (condition, bool) {
	if parts := outside(text, " OR "); len(parts) > 1 {
		return p.several(parts, func(all []condition, r *row) bool {
			return slices.ContainsFunc(all, func(c condition) bool { return c(r) })
		})
	}
	if parts := outside(text, " AND "); len(parts) > 1 {
		return p.several(parts, func(all []condition, r *row) bool {
			return !slices.ContainsFunc(all, func(c condition) bool { return !c(r) })
		})
	}
	for _, f := range p.forms {
		if m := f.pattern.FindStringSubmatch(text); m != nil {
			return f.make(p, m)
		}
	}
	return nil, false
}

func (p *plan) several(texts []string, join func([]condition, *row) bool) (condition, bool) {
	all := make([]condition, len(texts))
	for i, text := range texts {
		var ok bool
		if all[i], ok = p.condition(text); !ok {
			return nil, false
		}
	}
	return func(r *row) bool { return join(all, r) }, true
}

// column finds a column of a type.
func (p *plan) column(name, kind string) (int, bool) {
	i := slices.IndexFunc(p.Columns, func(c Column) bool { return c.Name == name })
	return i, i >= 0 && p.Columns[i].Type == kind
}

func (p *plan) oneOfTexts(m []string) (condition, bool) {
	c, ok := p.column(m[1], "TEXT")
	var list [][]byte
	for text := range strings.SplitSeq(m[2], ", ") {
		list = append(list, []byte(strings.Trim(text, "'")))
	}
	return func(r *row) bool {
		have := r.text(c)
		return slices.ContainsFunc(list, func(b []byte) bool { return bytes.Equal(b, have) })
	}, ok
}

func (p *plan) oneOfNumbers(m []string) (condition, bool) {
	c, ok := p.column(m[1], "INTEGER")
	var list []int64
	for text := range strings.SplitSeq(m[2], ", ") {
		n, err := strconv.ParseInt(text, 10, 64)
		list, ok = append(list, n), ok && err == nil
	}
	return func(r *row) bool { return slices.Contains(list, r.int(c)) }, ok
}

// length counts characters, which in what is asked about are bytes: others are
// left to the engine.
func (p *plan) length(m []string) (condition, bool) {
	c, ok := p.column(m[1], "TEXT")
	n, err := strconv.Atoi(m[2])
	return func(r *row) bool {
		have := r.text(c)
		if len(have) != n {
			return false
		}
		for _, b := range have {
			if b == 0 || b >= 0x80 {
				return false
			}
		}
		return true
	}, ok && err == nil
}

func (p *plan) number(m []string) (condition, bool) {
	c, ok := p.column(m[1], "INTEGER")
	n, err := strconv.ParseInt(m[3], 10, 64)
	compare := map[string]func(a int64) bool{
		"=":  func(a int64) bool { return a == n },
		"<>": func(a int64) bool { return a != n },
		">":  func(a int64) bool { return a > n },
		">=": func(a int64) bool { return a >= n },
	}[m[2]]
	return func(r *row) bool { return compare(r.int(c)) }, ok && err == nil
}

func (p *plan) same(m []string) (condition, bool) {
	c, ok := p.column(m[1], "TEXT")
	want, equal := []byte(m[3]), m[2] == "="
	return func(r *row) bool { return bytes.Equal(r.text(c), want) == equal }, ok
}

func (p *plan) begins(m []string) (condition, bool) {
	c, ok := p.column(m[1], "TEXT")
	prefix, least := []byte(m[2]), len(m[2])
	if m[3] == "?*" {
		least++
	}
	return func(r *row) bool { return len(r.text(c)) >= least && bytes.HasPrefix(r.text(c), prefix) }, ok
}

func (p *plan) subject(m []string) (condition, bool) {
	var columns [4]int
	for i := range columns {
		var ok bool
		if columns[i], ok = p.column(m[i+1], "TEXT"); !ok {
			return nil, false
		}
	}
	return func(r *row) bool {
		rest, ok := bytes.CutPrefix(r.text(columns[0]), r.text(columns[1]))
		for i, separator := range []byte(":/") {
			if !ok || len(rest) == 0 || rest[0] != separator {
				return false
			}
			rest, ok = bytes.CutPrefix(rest[1:], r.text(columns[i+2]))
		}
		return ok && len(rest) == 0
	}, true
}

func (p *plan) both(m []string) (condition, bool) {
	a, ok := p.condition(m[1])
	b, ok2 := p.condition(m[2])
	return func(r *row) bool { return a(r) == b(r) }, ok && ok2
}

func (p *plan) flag(m []string) (condition, bool) {
	c, ok := p.column(m[1], "INTEGER")
	when, ok2 := p.condition(m[2])
	return func(r *row) bool {
		want := int64(0)
		if when(r) {
			want = 1
		}
		return r.int(c) == want
	}, ok && ok2
}
