package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/pelletier/go-toml/v2"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/cli/settings"
	"toolcrib/internal/shortrun"
)

// TestEverySchemaCompiles validates each schema with its metaschema.
func TestEverySchemaCompiles(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, name := range schemaNames() {
		compileSchema(t, name)
	}
}

func compileSchema(t *testing.T, name string) *validator.Schema {
	t.Helper()
	s, err := schemaNamed(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	doc, err := validator.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return compiled
}

// TestConfigSchemaIsWhatTheDecoderReads writes a file with every key in the schema. The decoder must accept all of
// them, and both must reject other keys.
func TestConfigSchemaIsWhatTheDecoderReads(t *testing.T) {
	s, compiled := configSchema(), compileSchema(t, schemaOfConfig)
	if len(s.Properties) != len(settings.Names()) {
		t.Errorf("the schema has %d keys, the configuration %d", len(s.Properties), len(settings.Names()))
	}
	filled := fill(s).(map[string]any)
	if err := compiled.Validate(filled); err != nil {
		t.Error(err)
	}
	var text strings.Builder
	if err := toml.NewEncoder(&text).Encode(filled); err != nil {
		t.Fatal(err)
	}
	var c settings.Config
	_, unknown, err := settings.DecodeConfig([]byte(text.String()), &c)
	if err != nil || len(unknown) > 0 {
		t.Errorf("%v, unknown: %v\n%s", err, unknown, text.String())
	}
	for _, table := range []map[string]any{filled, filled["gateway"].(map[string]any), filled["servers"].(map[string]any)["some"].(map[string]any)} {
		table["surplus"] = "x"
		if compiled.Validate(filled) == nil {
			t.Error("an unknown key is valid")
		}
		delete(table, "surplus")
	}
	text.Reset()
	filled["surplus"] = "x"
	if err := toml.NewEncoder(&text).Encode(filled); err != nil {
		t.Fatal(err)
	}
	if _, unknown, err = settings.DecodeConfig([]byte(text.String()), &c); err != nil || len(unknown) != 1 {
		t.Errorf("%v, unknown: %v", err, unknown)
	}
}

// fill returns a value with all keys of a schema.
func fill(s *jsonschema.Schema) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "boolean":
		return true
	case s.Type == "string":
		return "x"
	case s.Type == "integer":
		return 1
	case s.Type == "array":
		return []any{fill(s.Items)}
	case s.Properties == nil:
		return map[string]any{"some": fill(s.AdditionalProperties)}
	}
	all := map[string]any{}
	for key, p := range s.Properties {
		all[key] = fill(p)
	}
	return all
}
