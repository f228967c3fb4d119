package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/BurntSushi/toml"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// What a configuration may be. The decoder's time grows with the cube of how
// deeply things are nested, and its stack with it: a project's file must not
// keep every command in its folder from coming to an end.
const (
	maxConfig      = 64 << 10 // bytes
	maxConfigDepth = 32       // brackets that are open at once
	maxConfigDots  = 100      // in one line: a dotted key opens a table with each
)

// errConfigShape is wrapped by errors about a file that no person has written.
var errConfigShape = errors.New("no configuration is like that")

// decodeConfig lays the text of a file over what to points to, and returns the
// keys that this does not have.
func decodeConfig(text []byte, to any) (meta toml.MetaData, unknown []toml.Key, err error) {
	if err := plainConfig(text); err != nil {
		return meta, nil, err
	}
	if meta, err = toml.Decode(string(text), to); err != nil {
		return meta, nil, err
	}
	for _, key := range meta.Keys() {
		if !hasKey(reflect.TypeOf(to), key) {
			unknown = append(unknown, key)
		}
	}
	return meta, unknown, nil
}

// hasKey reports whether a type has a key of just that spelling. The decoder takes
// keys in any case, but what a file may set depends on their names.
func hasKey(t reflect.Type, key toml.Key) bool {
	for len(key) > 0 {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			t = t.Elem()
		case reflect.Map:
			t, key = t.Elem(), key[1:]
		case reflect.Struct:
			fields := reflect.VisibleFields(t)
			i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("toml") == key[0] })
			if i < 0 {
				return false
			}
			t, key = fields[i].Type, key[1:]
		default:
			return false
		}
	}
	return true
}

// readConfig reads a file that is one, and not endless: a pipe would keep
// everybody waiting.
func readConfig(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder; the configuration is a file")
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is no file", errConfigShape)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%w: it has more than %d KiB", errConfigShape, maxConfig>>10)
	}
	return text, err
}

// plainConfig refuses a file that would take the decoder long. It counts brackets
// and dots everywhere, also in strings: no configuration has that many.
func plainConfig(text []byte) error {
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
			return fmt.Errorf("%w: line %d is nested in more than %d brackets, or its keys in more than %d tables", errConfigShape, line, maxConfigDepth, maxConfigDots)
		}
	}
	return nil
}

// missing reports whether there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ruleSet returns the rules in force. An error names the file that asks for
// what there is not.
func (c config) ruleSet() (ruleset.Set, error) {
	set, err := ruleset.NewSet(c.Rules)
	if err == nil {
		return set, nil
	}
	for _, id := range slices.Sorted(maps.Keys(c.Rules)) {
		if _, err := ruleset.NewSet(map[string]rules.Severity{id: c.Rules[id]}); err != nil {
			return set, fmt.Errorf("configuration %s: %w", c.sources[toml.Key{"rules", id}.String()], err)
		}
	}
	return set, fmt.Errorf("configuration: %w", err)
}
