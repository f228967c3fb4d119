// This file decodes configuration files, and reports the position of errors in them.

package settings

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/lists"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Limits for a configuration file. The decoder is recursive: without these limits, a project's file could crash every
// command in its folder.
const (
	maxConfig      = 64 << 10 // bytes
	maxConfigDepth = 32       // nested brackets
	maxConfigDots  = 100      // dots in a line; each dot in a dotted key opens a nested table
)

// ByteOrderMark is a character that some editors write at the start of a file.
const ByteOrderMark = "\ufeff"

// errConfigShape means that a file cannot be a configuration, because of its type, its size, or its nesting.
var errConfigShape = errors.New("not a configuration")

// keyPath is the path of a key in a configuration, such as gateway, gate_url.
type keyPath []string

// String returns the path as a dotted key of TOML.
func (k keyPath) String() string {
	parts := make([]string, len(k))
	for i, part := range k {
		parts[i] = part
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			parts[i] = spanedit.Quote(part)
		}
	}
	return strings.Join(parts, ".")
}

// configKeys lists the keys of a file in order, including those in tables.
type configKeys []keyPath

// has reports whether the file has a key.
func (ks configKeys) has(path ...string) bool {
	return slices.ContainsFunc(ks, func(k keyPath) bool { return slices.Equal(k, path) })
}

// readKeys reads the keys of a file.
func readKeys(text []byte) (configKeys, error) {
	var keys configKeys
	var table keyPath
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind { //nolint:exhaustive // an expression is one of these, or a comment
		case unstable.Table, unstable.ArrayTable:
			table = keyBelow(nil, e)
			keys = append(keys, table)
		case unstable.KeyValue:
			keys = append(keys, keysOf(table, e)...)
		}
	}
	return keys, p.Error()
}

// keyBelow returns the path of an expression in a table.
func keyBelow(table keyPath, e *unstable.Node) keyPath {
	path := slices.Clone(table)
	for parts := e.Key(); parts.Next(); {
		path = append(path, string(parts.Node().Data))
	}
	return path
}

// keysOf returns the key of an expression, and the keys of the tables in its value.
func keysOf(table keyPath, e *unstable.Node) configKeys {
	path := keyBelow(table, e)
	return append(configKeys{path}, keysIn(path, e.Value())...)
}

func keysIn(path keyPath, value *unstable.Node) (keys configKeys) {
	for parts := value.Children(); parts.Next(); {
		if value.Kind == unstable.InlineTable {
			keys = append(keys, keysOf(path, parts.Node())...)
		} else { // a list
			keys = append(keys, keysIn(path, parts.Node())...)
		}
	}
	return keys
}

// DecodeConfig decodes the text of a file into the value that to points to, and returns the keys in the file. If the
// type lacks fields for some keys, DecodeConfig returns them as unknown and does not change the value. It replaces
// maps, lists, and pointers instead of modifying the values that they refer to, because the settings of other files may
// share them.
func DecodeConfig(text []byte, to any) (keys configKeys, unknown []keyPath, err error) {
	if err := checkConfigText(text); err != nil {
		return nil, nil, err
	}
	text = bytes.TrimPrefix(text, []byte(ByteOrderMark))
	into := reflect.ValueOf(to).Elem()
	read := reflect.New(into.Type())
	if err := toml.NewDecoder(bytes.NewReader(text)).EnableUnmarshalerInterface().Decode(read.Interface()); err != nil {
		return nil, nil, ConfigError(err)
	}
	if keys, err = readKeys(text); err != nil {
		return nil, nil, ConfigError(err)
	}
	if unknown = lists.Filter(keys, func(k keyPath) bool { return !hasKey(into.Type(), k) }); len(unknown) > 0 {
		return keys, unknown, nil
	}
	copied := map[string]bool{}
	for _, key := range keys {
		copyValue(into, read.Elem(), key, 0, copied)
	}
	return keys, nil, nil
}

// copyValue copies the value of a key from one configuration to another. The first parts of the key, up to at, lead to
// into and from. copied contains the names of the maps that into no longer shares.
func copyValue(into, from reflect.Value, key keyPath, at int, copied map[string]bool) {
	switch {
	case into.Kind() == reflect.Struct && at < len(key):
		i := fieldOf(into.Type(), key[at])
		copyValue(into.Field(i), from.Field(i), key, at+1, copied)
	case into.Kind() == reflect.Struct: // the header of a table
	case into.Kind() == reflect.Map && into.Type().Key().Kind() == reflect.String:
		if name := key[:at].String(); !copied[name] {
			copied[name] = true
			own := reflect.MakeMap(into.Type())
			for entries := into.MapRange(); entries.Next(); {
				own.SetMapIndex(entries.Key(), entries.Value())
			}
			into.Set(own)
		}
		if at < len(key) {
			name := reflect.ValueOf(key[at]).Convert(into.Type().Key())
			into.SetMapIndex(name, from.MapIndex(name))
		}
	default:
		into.Set(from)
	}
}

// fieldOf returns the index of the field with exactly this key, or -1. The decoder ignores the case of keys, but a
// file's permissions depend on the exact keys.
func fieldOf(t reflect.Type, key string) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("toml") == key {
			return i
		}
	}
	return -1
}

// hasKey reports whether a type has a key.
func hasKey(t reflect.Type, key keyPath) bool {
	for len(key) > 0 {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			t = t.Elem()
		case reflect.Map:
			t, key = t.Elem(), key[1:]
		case reflect.Struct:
			i := fieldOf(t, key[0])
			if i < 0 {
				return false
			}
			t, key = t.Field(i).Type, key[1:]
		default:
			return false
		}
	}
	return true
}

// ConfigError describes the position and cause of a decoder error, without names of Go types.
func ConfigError(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return err
	}
	why := strings.TrimPrefix(at.Error(), "toml: ")
	if key := keyPath(at.Key()); strings.Contains(why, "cannot decode") || strings.Contains(why, "cannot store") {
		why = strings.TrimSpace(key.String()+" has a value of the wrong type") + "; `toolcrib schema toolcrib.toml` lists the types"
	}
	line, column := at.Position()
	return fmt.Errorf("line %d, column %d: %s", line, column, why)
}

// checkConfigText rejects a file that would take the decoder a long time. It counts brackets and dots everywhere, even
// in strings; no genuine configuration exceeds the limits.
func checkConfigText(text []byte) error {
	depth, dots, line := 0, 0, 1
	for _, b := range text {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '.':
			dots++
		case '\n':
			dots, line = 0, line+1
		}
		if depth > maxConfigDepth || dots > maxConfigDots {
			return fmt.Errorf("%w: line %d has more than %d nested brackets, or keys with more than %d dots", errConfigShape, line, maxConfigDepth, maxConfigDots)
		}
	}
	return nil
}
