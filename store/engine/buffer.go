package engine

import (
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
)

// buffered calls fn for every row after all of them were read: a connection to
// PostgreSQL runs one query at a time, and fn may ask another. escaped is whether
// the texts of the rows are.
func buffered(rows *sql.Rows, escaped bool, fn func(Scanner) error) error {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	var read []bufferedRow
	for rows.Next() {
		row := make(bufferedRow, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if escaped {
			unescape(row)
		}
		read = append(read, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, row := range read {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// unescape unescapes the texts of a row.
func unescape[T any](row []T) {
	for i := range row {
		if s, ok := any(row[i]).(string); ok {
			if text, ok := any(UnescapeText(s)).(T); ok {
				row[i] = text
			}
		}
	}
}

// bufferedRow has the values of a row.
type bufferedRow []any

// Scan implements Scanner for the types that rows of toolcrib are read into.
func (r bufferedRow) Scan(dest ...any) error {
	if len(dest) != len(r) {
		return fmt.Errorf("expected %d destinations, not %d", len(r), len(dest))
	}
	for i, d := range dest {
		if err := assign(d, r[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func assign(dest, value any) error {
	switch d := dest.(type) {
	case sql.Scanner:
		return d.Scan(value)
	case *any:
		*d = value
		return nil
	}
	to := reflect.ValueOf(dest).Elem()
	if b, ok := value.([]byte); ok && to.Kind() == reflect.Slice {
		to.SetBytes(b)
		return nil
	}
	if b, ok := value.(bool); ok && to.Kind() == reflect.Bool {
		to.SetBool(b)
		return nil
	}
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	default:
		return fmt.Errorf("%T does not fit into %T", value, dest)
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
	case reflect.Slice:
		to.SetBytes([]byte(text))
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		to.SetBool(b)
		return err
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		to.SetInt(n)
		return err
	default:
		return fmt.Errorf("%T does not fit into %T", value, dest)
	}
	return nil
}
