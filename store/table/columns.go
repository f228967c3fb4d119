// Package table describes tables. One list of columns, each with its Go variable, defines the columns of SELECT and
// INSERT, the values, Scan, and the fields of a seal.
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

// Column is a column of a table, with the variable that its value is written from and
// read into: a *string, *int, *int64, *bool, *sql.NullInt64, or Textual.
type Column struct {
	Name  string
	v     any
	later bool
}

// Col returns a column.
func Col(name string, v any) Column { return Column{Name: name, v: v} }

// Later returns a column that a table of records got later, behind all others. A seal has
// its value only where there is one, so that older rows keep their seals.
func Later(name string, v any) Column { return Column{name, v, true} }

// Later returns how many of the columns a table got later.
func (c Columns) Later() int {
	n := 0
	for _, one := range c {
		if one.later {
			n++
		}
	}
	return n
}

// Columns describe a row of a table. A table has one such list, from which the columns
// of SELECT and INSERT, the values, the fields of a seal, and Scan come.
type Columns []Column

// Textual is a variable whose column is a text in a specific format.
type Textual interface {
	sql.Scanner
	format() (string, error)
	parse() error // parses the scanned text
	kind() engine.Kind
}

// Names lists the columns.
func (c Columns) Names() string { return c.each("", ", ") }

// Of lists the columns of the table that a statement calls alias.
func (c Columns) Of(alias string) string { return c.each(alias+".", ", ") }

// Joined is the expression of the columns of alias as one text.
func (c Columns) Joined(alias, separator string) string {
	return c.each(alias+".", " || '"+separator+"' || ")
}

func (c Columns) each(before, between string) string {
	return strings.Join(lists.Map(c, func(one Column) string { return before + one.Name }), between)
}

// Pick returns the columns with some names.
func (c Columns) Pick(names ...string) Columns {
	picked := make(Columns, len(names))
	for i, name := range names {
		at := slices.IndexFunc(c, func(one Column) bool { return one.Name == name })
		if at < 0 {
			panic("table: there is no column " + name)
		}
		picked[i] = c[at]
	}
	return picked
}

// Maybe lists optional columns: those of a table after a LEFT JOIN, in which key is not NULL.
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

// When returns the columns for a row that may not be there, behind that of whether it is.
func (c Columns) When(there *bool) Columns {
	list := Columns{Col("", there)}
	for _, one := range c {
		if t, ok := one.v.(Textual); ok {
			one.v = textualWhen{t, there}
		}
		list = append(list, one)
	}
	return list
}

// textualWhen is a column of a row that may not be there.
type textualWhen struct {
	Textual
	there *bool
}

func (t textualWhen) parse() error {
	if !*t.there {
		return nil
	}
	return t.Textual.parse()
}

// Kind returns the kind of the values of the column.
func (c Column) Kind() engine.Kind {
	switch v := c.v.(type) {
	case *string:
		return engine.Text
	case Textual:
		return v.kind()
	}
	return engine.Number
}

// text returns the value as a seal has it.
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
	return "", fmt.Errorf("the column %s has no text: %T", c.Name, c.v)
}

// Texts returns the values as a seal has them.
func (c Columns) Texts() ([]string, error) {
	texts := make([]string, len(c))
	var errs error
	for i, one := range c {
		text, err := one.text()
		texts[i], errs = text, errors.Join(errs, err)
	}
	return texts, errs
}

// Values returns the values as a statement takes them.
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

// Reading returns a scanner of rows with the columns of a T, followed by rest. It must only be used for one query at a
// time, because all rows are scanned into the same variables.
func Reading[T any](describe func(*T) Columns, rest ...any) func(Scanner) (T, error) {
	v := new(T)
	var dest []any
	var texts []Textual
	for _, one := range describe(v) {
		dest = append(dest, one.v)
		if t, ok := one.v.(Textual); ok {
			texts = append(texts, t)
		}
	}
	dest = append(dest, rest...)
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

// Stored returns the text that was read of a column, which may be in a form that is not
// written any more.
func (c Column) stored() (string, error) {
	switch t := c.v.(type) {
	case interface{ text() string }:
		return t.text(), nil
	case textualWhen:
		return Col(c.Name, t.Textual).stored()
	}
	return c.text()
}

// InsertAll inserts rows that have the same columns.
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

// Add inserts a row, whose key is the next number.
func Add(ctx context.Context, s execer, table, key string, row Columns) error {
	values, err := row.Values()
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, "INSERT INTO "+table+" ("+key+", "+row.Names()+") VALUES ((SELECT coalesce(max("+key+"), 0) + 1 FROM "+table+"), "+engine.Placeholders(1, len(row))+")", values...)
	return err
}

// StoredText is a T that is stored as a text.
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

// text returns the last scanned text.
func (s *StoredText[T]) text() string { return s.scanned }

// Scan implements sql.Scanner.
func (s *StoredText[T]) Scan(value any) (err error) {
	s.scanned, err = Text(value)
	return err
}

// Stored returns the column of a value that is stored as a text, with functions to format and parse it.
func Stored[T any](v *T, write func(T) string, read func(string) (T, error)) Textual {
	return &StoredText[T]{V: v, Write: func(v T) (string, error) { return write(v), nil }, Read: read}
}

// StoredJSON returns the column of a value that is JSON; of none, it is "".
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

// Subject returns the column of a subject.
func Subject(v *registry.Subject) Textual {
	return Stored(v, registry.Subject.String, registry.ParseSubject)
}

// Actor returns the column of an actor.
func Actor(v *proposals.Actor) Textual {
	return Stored(v, proposals.Actor.String, func(text string) (a proposals.Actor, err error) {
		err = a.UnmarshalText([]byte(text))
		return a, err
	})
}

// Time returns the column of a time.
func Time(v *time.Time) Textual { return Stored(v, history.Timestamp, history.ParseTimestamp) }

// MaybeTime is the column of a time that need not be there.
func MaybeTime(v *time.Time) Textual { return Stored(v, FormatMaybe, ParseMaybe) }

// JSON is a column with JSON that is stored unchanged, or nil.
func JSON(v *json.RawMessage) Textual {
	return Stored(v, func(raw json.RawMessage) string { return string(raw) }, func(text string) (json.RawMessage, error) {
		if text == "" {
			return nil, nil
		}
		return json.RawMessage(text), nil
	})
}

// Text writes a value as its column has it in a seal.
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

// Flag returns the stored form of a bool.
func Flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// FormatMaybe returns the stored form of an optional time, "" for zero.
func FormatMaybe(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return history.Timestamp(t)
}

// ParseMaybe parses the output of FormatMaybe.
func ParseMaybe(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return history.ParseTimestamp(s)
}

// List is the column of a list of texts.
func List(texts *[]string) Textual {
	return Stored(texts, func(texts []string) string {
		if len(texts) == 0 {
			return "[]"
		}
		data, _ := json.Marshal(texts) // encoding strings cannot fail
		return string(data)
	}, ParseList)
}

// ParseList parses the column of a List.
func ParseList(s string) ([]string, error) {
	var texts []string
	err := json.Unmarshal([]byte(s), &texts)
	return texts, err
}
