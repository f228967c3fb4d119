// This file decodes and validates arguments.

package builtin

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// decode stores the arguments of a call in the struct *dst. It returns a problem for each argument of the wrong type.
// Although the gateway has already validated the arguments against the approved schema, this schema may permit types
// that the tools do not support.
func decode(args json.RawMessage, dst any) problems {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	n, err := jsondoc.Parse(args, jsondoc.DefaultLimits)
	if err != nil {
		return problems{jsondoc.Problems{{Path: jsondoc.Root, Message: err.Error()}}}
	}
	return problems{jsondoc.Bind(n, jsondoc.Root, dst)}
}

// problems collects the problems of a call's arguments.
type problems struct{ jsondoc.Problems }

// err returns an *Error that describes the problems, or nil if there are none.
func (ps problems) err() error {
	if len(ps.Problems) == 0 {
		return nil
	}
	lines := lists.Map(ps.Problems, func(p jsondoc.Problem) string { return jsondoc.Problem{Path: p.Path, Message: p.Message}.String() })
	found := lists.Map(ps.Problems, func(p jsondoc.Problem) gateway.ArgumentProblem {
		return gateway.ArgumentProblem{Path: p.Path, Message: p.Message}
	})
	details, err := jsondoc.Marshal(map[string]any{"problems": found})
	if err != nil {
		return err
	}
	return &gateway.Error{
		Code:    gateway.CodeArguments,
		Message: "Nothing was done; the arguments are not valid: " + strings.Join(lines, "; ") + ".",
		Details: details,
	}
}

// text returns s without leading and trailing white space. It adds a problem if the text is blank or has more than
// maxChars characters.
func (ps *problems) text(path, s string, maxChars int) string {
	s = strings.TrimSpace(s)
	if s == "" {
		ps.Add(path, "expected non-blank text")
	}
	ps.short(path, s, maxChars)
	return s
}

func (ps *problems) short(path, s string, maxChars int) {
	if n := utf8.RuneCountInString(s); n > maxChars {
		ps.Add(path, "expected at most %d characters, got %d", maxChars, n)
	}
}

// oneOf returns value, or fallback if value is "". It adds a problem if value is not one of the allowed values.
func (ps *problems) oneOf(path, value, fallback string, allowed ...string) string {
	if value == "" {
		return fallback
	}
	if slices.Contains(allowed, value) {
		return value
	}
	ps.Add(path, "expected one of %s, got %s", strings.Join(allowed, ", "), jsondoc.Quote(value))
	return fallback
}

// channel checks the delivery channel of a reminder or of the result of a schedule.
func (ps *problems) channel(path, value string) string {
	return ps.oneOf(path, value, "", "web", "telegram")
}

// missing adds a problem about a missing value at path. It does nothing if there is already a problem at path.
func (ps *problems) missing(path, what string) {
	if !slices.ContainsFunc(ps.Problems, func(p jsondoc.Problem) bool { return p.Path == path }) {
		ps.Add(path, "expected %s", what)
	}
}

// between returns *value, or fallback if value is nil. If *value is not in the range from 1 to limit, between adds a
// problem and returns fallback.
func (ps *problems) between(path string, value *int, fallback, limit int) int {
	if value == nil {
		return fallback
	}
	if *value < 1 || *value > limit {
		ps.Add(path, "expected a number from 1 to %d, got %d", limit, *value)
		return fallback
	}
	return *value
}

// count adds a problem if n, the length of a list, is 0 or greater than limit.
func (ps *problems) count(path string, n, limit int) {
	switch {
	case n == 0:
		ps.Add(path, "expected at least one entry")
	case n > limit:
		ps.Add(path, "expected at most %d entries, got %d", limit, n)
	}
}

// Limits of tags and of lists of ids.
const (
	maxTags   = 20
	maxTag    = 40 // characters
	maxListed = 50
	maxID     = 100 // characters; generated ids have 36
)

// tags checks a list of tags and returns the tags without duplicates. Tags that differ only in case are duplicates.
func (ps *problems) tags(path string, tags []string) []string {
	if len(tags) > maxTags {
		ps.Add(path, "expected at most %d tags, got %d", maxTags, len(tags))
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for i, tag := range tags {
		tag = ps.text(jsondoc.Index(path, i), tag, maxTag)
		if key := NameKey(tag); !seen[key] {
			seen[key] = true
			out = append(out, tag)
		}
	}
	return out
}

// id adds a problem if id is empty or too long.
func (ps *problems) id(path, id string) {
	if id == "" {
		ps.Add(path, "expected an id")
	}
	ps.short(path, id, maxID)
}

// moment is an argument that is a time in RFC 3339 format with a zone offset.
type moment struct{ time.Time }

// BindJSON implements jsondoc.Binder.
func (m *moment) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	var ps jsondoc.Problems
	if n.Kind != jsondoc.String {
		ps.Add(path, "expected a string with a time in RFC 3339 format, got %s", n.Kind)
		return ps
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(n.Text))
	if err != nil {
		ps.Add(path, "expected a time with a zone offset such as 2026-11-20T09:00:00+01:00, got %s", jsondoc.Quote(n.Text))
		return ps
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		ps.Add(path, "expected a year from 1 to 9999")
		return ps
	}
	m.Time = t
	return nil
}

// change is an argument of an update tool that sets a field of a record. If the argument is missing, the field is
// unchanged. If the argument is null, the field is cleared.
type change[T any] struct {
	given bool
	null  bool
	value T // new value of the field; the zero value clears the field
}

// BindJSON implements jsondoc.Binder.
func (c *change[T]) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	c.given = true
	if c.null = n.Kind == jsondoc.Null; c.null {
		return nil
	}
	return jsondoc.Bind(n, path, &c.value)
}
