package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// parseJSON parses a document. Numbers keep their notation.
func parseJSON(ts *testscript.TestScript, name, text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("%s is not valid JSON: %v\n%s", name, err, text)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one document:\n%s", name, text)
	}
	return doc
}

// find returns the value at a path such as "proposals[0].id". "$" is the document, and "len" after a list is its
// length.
func find(doc any, path string) (any, bool) {
	if path == "$" {
		return doc, true
	}
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		switch v := doc.(type) {
		case map[string]any:
			value, ok := v[step]
			if !ok {
				return nil, false
			}
			doc = value
		case []any:
			if step == "len" {
				return json.Number(strconv.Itoa(len(v))), true
			}
			i, err := strconv.Atoi(strings.Trim(step, "[]"))
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// written formats a value as in scripts: strings without quotes, other values as JSON.
func written(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	v, ok := find(parseJSON(ts, args[0], ts.ReadFile(args[0])), args[1])
	if !ok && !neg {
		ts.Fatalf("%s has no %s", args[0], args[1])
	}
	if equal := ok && written(v) == args[2]; equal == neg {
		ts.Fatalf("%s of %s is %s", args[1], args[0], written(v))
	}
}

// cmdWaiveBlocks waives each open block of a proposal that can be waived. Because the findings of heuristic rules may
// change, scripts with another purpose should not depend on them.
func cmdWaiveBlocks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waive-blocks REF REASON")
	}
	review := runToolcrib(ts, 0, []string{"review", args[0], "--json"})
	list, _ := find(parseJSON(ts, "review", review), "assessment.findings")
	found, _ := list.([]any)
	for _, f := range found {
		of := func(key string) string {
			v, _ := find(f, key)
			return written(v)
		}
		if of("severity") == "block" && of("waivable") == "true" && of("waived_by") == "null" {
			runToolcrib(ts, 0, []string{"waive", args[0], of("handle"), "--note", args[1], "--as", "user:mara"})
		}
	}
}

func cmdJSONSet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: json-set NAME FILE PATH")
	}
	v, ok := find(parseJSON(ts, args[1], ts.ReadFile(args[1])), args[2])
	if !ok {
		ts.Fatalf("%s has no %s", args[1], args[2])
	}
	ts.Setenv(args[0], written(v))
}

func cmdJSONKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: json-keys FILE PATH KEY…")
	}
	v, _ := find(parseJSON(ts, args[0], ts.ReadFile(args[0])), args[1])
	object, ok := v.(map[string]any)
	if !ok {
		ts.Fatalf("%s of %s is not an object: %s", args[1], args[0], written(v))
	}
	left := maps.Clone(object)
	for _, want := range args[2:] {
		key, optional := strings.CutSuffix(want, "?")
		if _, ok := object[key]; !ok && !optional {
			ts.Fatalf("%s of %s has no %s", args[1], args[0], key)
		}
		delete(left, key)
	}
	if len(left) > 0 {
		ts.Fatalf("%s of %s has %v beyond what is documented", args[1], args[0], slices.Sorted(maps.Keys(left)))
	}
}

func cmdJSONDoc(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json-doc FILE KIND")
	}
	checkDocument(ts, args[0], ts.ReadFile(args[0]), args[1])
}

// checkDocument checks the requirements for all documents: one object on one line with schema, kind, keys in snake
// case, and times in UTC.
func checkDocument(ts *testscript.TestScript, name, text, kind string) {
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s is not one line:\n%s", name, text)
	}
	doc, ok := parseJSON(ts, name, text).(map[string]any)
	if !ok || written(doc["schema"]) != "1" || doc["kind"] != kind {
		ts.Fatalf("%s is not a document of kind %s: %s", name, kind, text)
	}
	checkKeys(ts, name, doc)
	if kind != "error" {
		return
	}
	// Codes of providers are unchanged, such as INTEGRATION_NOT_CONNECTED.
	if code, ok := doc["code"].(string); !ok || !snake.MatchString(strings.ToLower(code)) || written(doc["message"]) == "" {
		ts.Fatalf("the error has no code or no message: %s", text)
	}
}

var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// foreign lists values with keys that are not those of a document.
var foreign = []string{"definition", "test_cases", "value", "rendered", "counts", "proposals_by_state"}

func checkKeys(ts *testscript.TestScript, at string, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			checkKeys(ts, at, item)
		}
	case map[string]any:
		for key, value := range v {
			if !snake.MatchString(key) {
				ts.Fatalf("%s has the key %q", at, key)
			}
			if s, ok := value.(string); ok && strings.HasSuffix(key, "_at") {
				if t, err := time.Parse(time.RFC3339, s); err != nil || t.Location() != time.UTC {
					ts.Fatalf("%s.%s is %q; want RFC 3339 in UTC", at, key, s)
				}
			}
			if !slices.Contains(foreign, key) {
				checkKeys(ts, at+"."+key, value)
			}
		}
	}
}

// cmdVary copies a proposal with some values changed. A value is interpreted as JSON if possible, and otherwise as a
// string. An empty value removes the key.
func cmdVary(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: vary FROM TO PATH=VALUE…")
	}
	doc := parseJSON(ts, args[0], ts.ReadFile(args[0]))
	for _, change := range args[2:] {
		path, text, ok := strings.Cut(change, "=")
		parent, key := doc, path
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			key = path[i+1:]
			parent, ok = find(doc, path[:i])
		}
		object, isObject := parent.(map[string]any)
		if !ok || !isObject {
			ts.Fatalf("%s cannot be set", change)
		}
		var value any
		switch {
		case text == "":
			delete(object, key)
		case json.Unmarshal([]byte(text), &value) == nil:
			object[key] = value
		default:
			object[key] = text
		}
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), append(out, '\n'), 0o600))
}
