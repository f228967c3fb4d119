// Package table describes tables by lists of columns. Each column is bound to a Go variable. The list determines the
// columns of SELECT and INSERT statements, their values, the destinations of Scan, and the fields of a seal.
package table

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store/engine"
)

// Column is a column of a table, bound to the variable that contains its value. The variable is a *string, *int,
// *int64, *bool, *sql.NullInt64, or Textual.
type Column struct {
	Name  string
	v     any
	later bool
}

// Col returns a column with the given name that is bound to v.
func Col(name string, v any) Column { return Column{Name: name, v: v} }

// Later returns a column that was added to a table with sealed rows after the first release. Such columns must be the
// last columns. A seal covers the column only if its value is not empty. The seals of older rows therefore remain
// valid.
func Later(name string, v any) Column { return Column{name, v, true} }

// Later returns the number of columns that were created with Later.
func (c Columns) Later() int {
	n := 0
	for _, one := range c {
		if one.later {
			n++
		}
	}
	return n
}

// Columns describes a row of a table. SELECT and INSERT statements, their values, the destinations of Scan, and the
// fields of a seal are derived from it.
type Columns []Column

// Textual is a variable with a value that is stored as text in a specific format.
type Textual interface {
	sql.Scanner
	format() (string, error)
	parse() error // parses the scanned text
	kind() engine.Kind
}

// Names returns a comma-separated list of the names of the columns.
func (c Columns) Names() string { return c.each("", ", ") }

// Of returns a comma-separated list of the columns, each qualified with the alias of the table.
func (c Columns) Of(alias string) string { return c.each(alias+".", ", ") }

// Joined returns an SQL expression that concatenates the columns, qualified with alias, and puts separator between
// them.
func (c Columns) Joined(alias, separator string) string {
	return c.each(alias+".", " || '"+separator+"' || ")
}

func (c Columns) each(before, between string) string {
	return strings.Join(lists.Map(c, func(one Column) string { return before + one.Name }), between)
}

// Pick returns the columns with the given names, in the order of the names.
func (c Columns) Pick(names ...string) Columns {
	picked := make(Columns, len(names))
	for i, name := range names {
		at := slices.IndexFunc(c, func(one Column) bool { return one.Name == name })
		if at < 0 {
			panic("table: unknown column " + name)
		}
		picked[i] = c[at]
	}
	return picked
}

// Maybe returns a list for SELECT after a LEFT JOIN: an expression that reports whether the joined row exists,
// followed by the columns. The argument key is a column that is never NULL in an existing row. Use Columns.When to
// scan the result.
func (c Columns) Maybe(alias, key string) string {
	list := alias + "." + key + " IS NOT NULL"
	for _, one := range c {
		zero := "0"
		if one.Kind() == engine.Text {
			zero = "''"
		}
		list += ", coalesce(" + alias + "." + one.Name + ", " + zero + ")"
	}
	return list
}

// When returns the columns for scanning the list that Maybe returns. Scanning a row sets *exists to true if the
// joined row exists, and to false otherwise.
func (c Columns) When(exists *bool) Columns {
	list := Columns{Col("", exists)}
	for _, one := range c {
		if t, ok := one.v.(Textual); ok {
			one.v = textualWhen{t, exists}
		}
		list = append(list, one)
	}
	return list
}

// textualWhen is a Textual in a row that can be missing. It is parsed only if the row exists.
type textualWhen struct {
	Textual
	present *bool
}

func (t textualWhen) parse() error {
	if !*t.present {
		return nil
	}
	return t.Textual.parse()
}

// Kind returns the type that the values of the column have in the database.
func (c Column) Kind() engine.Kind {
	switch v := c.v.(type) {
	case *string:
		return engine.Text
	case Textual:
		return v.kind()
	}
	return engine.Number
}

// text returns the value of c in the form that a seal covers.
func (c Column) text() (string, error) {
	switch v := c.v.(type) {
	case *string:
		return *v, nil
	case *int:
		return strconv.Itoa(*v), nil
	case *int64:
		return strconv.FormatInt(*v, 10), nil
	case *bool:
		return Flag(*v), nil
	case Textual:
		return v.format()
	}
	return "", fmt.Errorf("the column %s has the unsupported type %T", c.Name, c.v)
}

// Texts returns the values of the columns in the form that a seal covers.
func (c Columns) Texts() ([]string, error) {
	texts := make([]string, len(c))
	var errs error
	for i, one := range c {
		text, err := one.text()
		texts[i], errs = text, errors.Join(errs, err)
	}
	return texts, errs
}

// Values returns the values of the columns as arguments for a statement.
func (c Columns) Values() ([]any, error) {
	values := make([]any, len(c))
	var errs error
	for i, one := range c {
		switch v := one.v.(type) {
		case *int:
			values[i] = int64(*v)
		case *int64:
			values[i] = *v
		case *sql.NullInt64:
			values[i] = *v
		default:
			text, err := one.text()
			values[i], errs = text, errors.Join(errs, err)
		}
	}
	return values, errs
}

// Reading returns a function that scans rows. Each row has the columns of T, followed by one column for each
// destination in extra. Do not use the function for several queries at a time, because it scans all rows into the
// same variables.
func Reading[T any](describe func(*T) Columns, extra ...any) func(Scanner) (T, error) {
	v := new(T)
	var dest []any
	var texts []Textual
	for _, one := range describe(v) {
		dest = append(dest, one.v)
		if t, ok := one.v.(Textual); ok {
			texts = append(texts, t)
		}
	}
	dest = append(dest, extra...)
	return func(row Scanner) (T, error) {
		var none T
		*v = none
		err := row.Scan(dest...)
		if err != nil {
			return none, err
		}
		for _, t := range texts {
			if wrong := t.parse(); wrong != nil {
				err = errors.Join(err, wrong)
			}
		}
		return *v, err
	}
}

// stored returns the text that was last scanned into the column. The text can be in an older format.
func (c Column) stored() (string, error) {
	switch t := c.v.(type) {
	case interface{ text() string }:
		return t.text(), nil
	case textualWhen:
		return Col(c.Name, t.Textual).stored()
	}
	return c.text()
}

// InsertAll inserts rows, which must have the same columns, into a table.
func InsertAll(ctx context.Context, s execer, table string, rows []Columns) error {
	if len(rows) == 0 {
		return nil
	}
	all := make([]any, 0, len(rows)*len(rows[0]))
	for _, row := range rows {
		values, err := row.Values()
		if err != nil {
			return err
		}
		all = append(all, values...)
	}
	return InsertRows(ctx, s, table, rows[0].Names(), all)
}

// Add inserts a row. The key of the row is the maximum value in the key column plus 1.
func Add(ctx context.Context, s execer, table, key string, row Columns) error {
	values, err := row.Values()
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, "INSERT INTO "+table+" ("+key+", "+row.Names()+") VALUES ((SELECT coalesce(max("+key+"), 0) + 1 FROM "+table+"), "+engine.Placeholders(1, len(row))+")", values...)
	return err
}

// StoredText is a Textual for a value of type T. Write formats the value, and Read parses it.
type StoredText[T any] struct {
	V       *T
	Write   func(T) (string, error)
	Read    func(string) (T, error)
	Kind    engine.Kind
	scanned string
}

func (s *StoredText[T]) format() (string, error) { return s.Write(*s.V) }

func (s *StoredText[T]) parse() error { return Into(s.V, s.Read, s.scanned) }

func (s *StoredText[T]) kind() engine.Kind { return s.Kind }

// text returns the last text that was scanned.
func (s *StoredText[T]) text() string { return s.scanned }

// Scan implements sql.Scanner.
func (s *StoredText[T]) Scan(value any) (err error) {
	s.scanned, err = Text(value)
	return err
}

// Stored returns a Textual for *v. The function write formats the value, and read parses the stored text.
func Stored[T any](v *T, write func(T) string, read func(string) (T, error)) Textual {
	return &StoredText[T]{V: v, Write: func(v T) (string, error) { return write(v), nil }, Read: read}
}

// StoredJSON returns a Textual for *v, which is stored as JSON. If write returns no bytes, "" is stored.
func StoredJSON[T any](v *T, write func(T) ([]byte, error)) Textual {
	return &StoredText[T]{V: v, Write: func(v T) (string, error) {
		text, err := write(v)
		return string(text), err
	}, Read: func(text string) (read T, err error) {
		if text != "" {
			err = json.Unmarshal([]byte(text), &read)
		}
		return read, err
	}}
}

// Subject returns a Textual for a subject.
func Subject(v *registry.Subject) Textual {
	return Stored(v, registry.Subject.String, registry.ParseSubject)
}

// Actor returns a Textual for an actor.
func Actor(v *proposals.Actor) Textual {
	return Stored(v, proposals.Actor.String, func(text string) (a proposals.Actor, err error) {
		err = a.UnmarshalText([]byte(text))
		return a, err
	})
}

// Time returns a Textual for a time.
func Time(v *time.Time) Textual { return Stored(v, history.Timestamp, history.ParseTimestamp) }

// MaybeTime returns a Textual for an optional time, which is stored as "" if it is zero.
func MaybeTime(v *time.Time) Textual { return Stored(v, FormatMaybe, ParseMaybe) }

// JSON returns a Textual for optional JSON, which is stored unchanged.
func JSON(v *json.RawMessage) Textual {
	return Stored(v, func(raw json.RawMessage) string { return string(raw) }, func(text string) (json.RawMessage, error) {
		if text == "" {
			return nil, nil
		}
		return json.RawMessage(text), nil
	})
}

// Text converts a value from the driver to the form that a seal covers.
func Text(value sqldriver.Value) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case []byte:
		return string(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", fmt.Errorf("%w: %T instead of a text or a number", engine.ErrDamaged, value)
}

// Flag returns the stored form of b.
func Flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// FormatMaybe returns the stored form of an optional time. A zero time is stored as "".
func FormatMaybe(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return history.Timestamp(t)
}

// ParseMaybe parses a time that FormatMaybe formatted.
func ParseMaybe(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return history.ParseTimestamp(s)
}

// List returns a Textual for a list of texts, which is stored as a JSON array.
func List(texts *[]string) Textual {
	return Stored(texts, func(texts []string) string {
		if len(texts) == 0 {
			return "[]"
		}
		return JSONArray(texts)
	}, ParseList)
}

// JSONArray returns list as a JSON array, for example as the argument of json_each.
func JSONArray[T ~string](list []T) string {
	data, _ := json.Marshal(list) // cannot fail for strings
	return string(data)
}

// ParseList parses the stored form of a List, which is a JSON array.
func ParseList(s string) ([]string, error) {
	var texts []string
	err := json.Unmarshal([]byte(s), &texts)
	return texts, err
}
