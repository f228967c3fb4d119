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

// Limits for a configuration file. The decoder is recursive. Without these limits, a project's file could crash every
// command that runs in the folder of the project.
const (
	maxConfig      = 64 << 10 // bytes
	maxConfigDepth = 32       // nested brackets
	maxConfigDots  = 100      // dots in a line; each dot in a dotted key opens a nested table
)

// ByteOrderMark is a character that some editors write at the start of a file.
const ByteOrderMark = "\ufeff"

// errConfigShape indicates that a file cannot be a configuration because of its type, its size, or its nesting.
var errConfigShape = errors.New("not a configuration")

// keyPath is the path of a key in a configuration: the names of the tables that contain the key, followed by the name
// of the key.
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

// configKeys contains the keys of a file in order, including the keys in tables.
type configKeys []keyPath

// has reports whether ks contains the key with the given path.
func (ks configKeys) has(path ...string) bool {
	return slices.ContainsFunc(ks, func(k keyPath) bool { return slices.Equal(k, path) })
}

// readKeys returns the keys in the text of a configuration file.
func readKeys(text []byte) (configKeys, error) {
	var keys configKeys
	var table keyPath
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind { //nolint:exhaustive // the other kinds are comments
		case unstable.Table, unstable.ArrayTable:
			table = keyBelow(nil, e)
			keys = append(keys, table)
		case unstable.KeyValue:
			keys = append(keys, keysOf(table, e)...)
		}
	}
	return keys, p.Error()
}

// keyBelow returns the full path of the key in e. The expression e is in the given table.
func keyBelow(table keyPath, e *unstable.Node) keyPath {
	path := slices.Clone(table)
	for parts := e.Key(); parts.Next(); {
		path = append(path, string(parts.Node().Data))
	}
	return path
}

// keysOf returns the full path of the key in e, followed by the keys of the inline tables in its value. The expression
// e is in the given table.
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

// DecodeConfig decodes text into the value that dst points to, and returns the keys in text. Keys without a field in
// the type of the value are returned as unknown. If there are any, DecodeConfig does not change the value. It replaces
// maps, lists, and pointers in the value instead of modifying them, because other configurations may share them.
func DecodeConfig(text []byte, dst any) (keys configKeys, unknown []keyPath, err error) {
	if err := checkConfigText(text); err != nil {
		return nil, nil, err
	}
	text = bytes.TrimPrefix(text, []byte(ByteOrderMark))
	into := reflect.ValueOf(dst).Elem()
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

// copyValue copies the value of a key from a configuration to another configuration. src and dst are the values at the
// path key[:depth] in these configurations. copyValue clones a map before it changes the map, because other
// configurations may share the map. copied contains the paths of the maps that it has already cloned.
func copyValue(dst, src reflect.Value, key keyPath, depth int, copied map[string]bool) {
	switch {
	case dst.Kind() == reflect.Struct && depth < len(key):
		i := fieldOf(dst.Type(), key[depth])
		copyValue(dst.Field(i), src.Field(i), key, depth+1, copied)
	case dst.Kind() == reflect.Struct: // the header of a table
	case dst.Kind() == reflect.Map && dst.Type().Key().Kind() == reflect.String:
		if name := key[:depth].String(); !copied[name] {
			copied[name] = true
			own := reflect.MakeMap(dst.Type())
			for entries := dst.MapRange(); entries.Next(); {
				own.SetMapIndex(entries.Key(), entries.Value())
			}
			dst.Set(own)
		}
		if depth < len(key) {
			name := reflect.ValueOf(key[depth]).Convert(dst.Type().Key())
			dst.SetMapIndex(name, src.MapIndex(name))
		}
	default:
		dst.Set(src)
	}
}

// fieldOf returns the index of the field of t with the given key, or -1. Unlike the decoder, it distinguishes upper and
// lower case, because the keys that a project's file may contain are compared exactly.
func fieldOf(t reflect.Type, key string) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("toml") == key {
			return i
		}
	}
	return -1
}

// hasKey reports whether values of type t can contain the given key.
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

// ConfigError replaces an error of the decoder by an error with the position and the cause, but without names of Go
// types. It returns other errors unchanged.
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

// checkConfigText returns an error if the nesting in text exceeds the limits above. It counts brackets and dots
// everywhere, even in strings. No genuine configuration exceeds the limits.
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
