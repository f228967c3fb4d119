package schemaguard_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// TestJSONSchemaSuite validates the values of JSON-Schema-Test-Suite, which make
// suites finds in a module. It counts the schemas that toolcrib rejects, such as
// those with references to other documents.
func TestJSONSchemaSuite(t *testing.T) {
	dir := os.Getenv("TOOLCRIB_SUITES")
	if dir == "" {
		t.Skip("set TOOLCRIB_SUITES, as make suites does")
	}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		files, err := filepath.Glob(filepath.Join(dir, "json-schema", draft, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no suite of %s found (%v)", draft, err)
		}
		values, refused := 0, 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			if err := json.Unmarshal(text, &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				schema := g.Schema
				if name := bytes.TrimPrefix(schema, []byte("{")); draft == "draft7" && len(name) < len(schema) && !bytes.Contains(schema, []byte(`"$schema"`)) && len(name) > 1 {
					schema = append([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#",`), name...) // other drafts lack it
				}
				s, err := schemaguard.Compile(schema)
				if err != nil {
					refused++
					continue
				}
				for _, c := range g.Tests {
					n, err := jsondoc.Parse(c.Data, jsondoc.DefaultLimits)
					if err != nil {
						continue // such as a NUL
					}
					if values++; (s.Validate(n) == nil) != c.Valid {
						t.Errorf("%s %s: %s: %s: valid is not %v: %v", draft, filepath.Base(file), g.Description, c.Description, c.Valid, s.Validate(n))
					}
				}
			}
		}
		t.Logf("%s: %d values; %d schemas are refused", draft, values, refused)
	}
}
