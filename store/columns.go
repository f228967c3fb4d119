package store

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store/engine"
)

// column is a column of a table, with the variable that its value is written from and
// read into: a *string, *int, *int64, *bool, *sql.NullInt64, or textual.
type column struct {
	name string
	v    any
}

// col returns a column.
func col(name string, v any) column { return column{name, v} }

// columns describe a row of a table. A table has one such list, from which the columns
// of SELECT and INSERT, the values, the fields of a seal, and Scan come.
type columns []column

// textual is a variable whose column is a text in a form of its own.
type textual interface {
	sql.Scanner
	format() (string, error)
	parse() error // what was scanned last
	zero() string // in SQL
}

// names lists the columns.
func (c columns) names() string { return c.each("") }

// of lists the columns of the table that a statement calls alias.
func (c columns) of(alias string) string { return c.each(alias + ".") }

func (c columns) each(before string) string {
	var list strings.Builder
	for i, one := range c {
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(before)
		list.WriteString(one.name)
	}
	return list.String()
}

// assignments lists the columns as UPDATE sets them to parameters from $1 on.
func (c columns) assignments() string {
	list := make([]string, len(c))
	for i, one := range c {
		list[i] = one.name + " = $" + strconv.Itoa(i+1)
	}
	return strings.Join(list, ", ")
}

// maybe lists what when reads: the columns of a table after a LEFT JOIN, in which key is
// not NULL.
func (c columns) maybe(alias, key string) string {
	list := alias + "." + key + " IS NOT NULL"
	for _, one := range c {
		zero := "0"
		switch v := one.v.(type) {
		case *string:
			zero = "''"
		case textual:
			zero = v.zero()
		}
		list += ", coalesce(" + alias + "." + one.name + ", " + zero + ")"
	}
	return list
}

// when returns the columns for a row that may not be there, behind that of whether it is.
func (c columns) when(there *bool) columns {
	list := columns{col("", there)}
	for _, one := range c {
		if t, ok := one.v.(textual); ok {
			one.v = textualWhen{t, there}
		}
		list = append(list, one)
	}
	return list
}

// textualWhen is a column of a row that may not be there.
type textualWhen struct {
	textual
	there *bool
}

func (t textualWhen) parse() error {
	if !*t.there {
		return nil
	}
	return t.textual.parse()
}

// text returns the value as a seal has it.
func (c column) text() (string, error) {
	switch v := c.v.(type) {
	case *string:
		return *v, nil
	case *int:
		return strconv.Itoa(*v), nil
	case *int64:
		return strconv.FormatInt(*v, 10), nil
	case *bool:
		return flag(*v), nil
	case textual:
		return v.format()
	}
	return "", fmt.Errorf("the column %s has no text: %T", c.name, c.v)
}

// texts returns the values as a seal has them.
func (c columns) texts() ([]string, error) {
	texts := make([]string, len(c))
	var errs error
	for i, one := range c {
		text, err := one.text()
		texts[i], errs = text, errors.Join(errs, err)
	}
	return texts, errs
}

// values returns the values as a statement takes them.
func (c columns) values() ([]any, error) {
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

// reading returns what scans rows of the columns of a T, with rest behind them. It is for
// one query at a time: all its rows are scanned into the same variables.
func reading[T any](describe func(*T) columns, rest ...any) func(scanner) (T, error) {
	v := new(T)
	var dest []any
	var texts []textual
	for _, one := range describe(v) {
		dest = append(dest, one.v)
		if t, ok := one.v.(textual); ok {
			texts = append(texts, t)
		}
	}
	dest = append(dest, rest...)
	return func(row scanner) (T, error) {
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

// stored returns the text that was read of a column, which may be in a form that is not
// written any more.
func (c column) stored() (string, error) {
	switch t := c.v.(type) {
	case interface{ text() string }:
		return t.text(), nil
	case textualWhen:
		return column{c.name, t.textual}.stored()
	}
	return c.text()
}

// insertAll inserts rows that have the same columns.
func insertAll(ctx context.Context, s execer, table string, rows []columns) error {
	if len(rows) == 0 {
		return nil
	}
	all := make([]any, 0, len(rows)*len(rows[0]))
	for _, row := range rows {
		values, err := row.values()
		if err != nil {
			return err
		}
		all = append(all, values...)
	}
	return insertRows(ctx, s, table, rows[0].names(), all)
}

// add inserts a row, whose key is the next number.
func add(ctx context.Context, s execer, table, key string, row columns) error {
	values, err := row.values()
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, "INSERT INTO "+table+" ("+key+", "+row.names()+") VALUES ((SELECT coalesce(max("+key+"), 0) + 1 FROM "+table+"), "+engine.Placeholders(1, len(row))+")", values...)
	return err
}

// storedText is a T whose column is a text.
type storedText[T any] struct {
	v       *T
	write   func(T) (string, error)
	read    func(string) (T, error)
	none    string
	scanned string
}

func (s *storedText[T]) format() (string, error) { return s.write(*s.v) }

func (s *storedText[T]) parse() error { return into(s.v, s.read, s.scanned) }

func (s *storedText[T]) zero() string { return s.none }

// text returns what was scanned last.
func (s *storedText[T]) text() string { return s.scanned }

// Scan implements sql.Scanner.
func (s *storedText[T]) Scan(value any) (err error) {
	s.scanned, err = asText(value)
	return err
}

// stored returns the column of a value that is written as a text and read from it.
func stored[T any](v *T, write func(T) string, read func(string) (T, error)) textual {
	return &storedText[T]{v: v, write: func(v T) (string, error) { return write(v), nil }, read: read, none: "''"}
}

// storedJSON returns the column of a value that is JSON; of none, it is "".
func storedJSON[T any](v *T, write func(T) ([]byte, error)) textual {
	return &storedText[T]{v: v, none: "''", write: func(v T) (string, error) {
		text, err := write(v)
		return string(text), err
	}, read: func(text string) (read T, err error) {
		if text != "" {
			err = json.Unmarshal([]byte(text), &read)
		}
		return read, err
	}}
}

func asSubject(v *registry.Subject) textual {
	return stored(v, registry.Subject.String, registry.ParseSubject)
}

func asActor(v *proposals.Actor) textual { return stored(v, proposals.Actor.String, parseActor) }

func asTime(v *time.Time) textual { return stored(v, history.Timestamp, history.ParseTimestamp) }

// asMaybeTime is the column of a time that need not be there.
func asMaybeTime(v *time.Time) textual { return stored(v, maybe, parseMaybe) }

// asJSON is the column of JSON that is kept as it is; nil for none.
func asJSON(v *json.RawMessage) textual {
	return stored(v, func(raw json.RawMessage) string { return string(raw) }, func(text string) (json.RawMessage, error) {
		if text == "" {
			return nil, nil
		}
		return json.RawMessage(text), nil
	})
}

// asText writes a value as its column has it in a seal.
func asText(value sqldriver.Value) (string, error) {
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

// flag writes a bool as it is stored.
func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// maybe writes a time that need not be there, parseMaybe reads it.
func maybe(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return history.Timestamp(t)
}

func parseMaybe(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return history.ParseTimestamp(s)
}

// asList is the column of a list of texts.
func asList(texts *[]string) textual {
	return stored(texts, func(texts []string) string {
		if len(texts) == 0 {
			return "[]"
		}
		data, _ := json.Marshal(texts) // texts have no form that fails
		return string(data)
	}, parseList)
}

func parseList(s string) ([]string, error) {
	var texts []string
	err := json.Unmarshal([]byte(s), &texts)
	return texts, err
}

func parseActor(s string) (proposals.Actor, error) {
	var a proposals.Actor
	err := a.UnmarshalText([]byte(s))
	return a, err
}
