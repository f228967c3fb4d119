package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
)

// hostile returns lists with a schema that would make a naive reader hang, crash, or misinterpret it.
func hostile() map[string]string {
	tool := func(schema string) string {
		return `{"tools":[{"name":"trap","description":"Look.","inputSchema":` + schema + `},{"name":"good","description":"Look.","inputSchema":{"type":"object"}}]}`
	}
	var doubling strings.Builder
	doubling.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling.WriteString(`"d60":{"type":"object"}}}`)
	return map[string]string{
		"self-reference":     tool(`{"$ref":"#"}`),
		"mutual reference":   tool(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`),
		"doubling":           tool(doubling.String()),
		"external reference": tool(`{"$ref":"file:///etc/passwd"}`),
		"remote reference":   tool(`{"properties":{"a":{"$ref":"https://example.com/schema.json"}}}`),
		"depth 100":          tool(strings.Repeat(`{"not":`, 100) + "{}" + strings.Repeat("}", 100)),
		"depth 10000":        tool(strings.Repeat(`{"not":`, 10_000) + "{}" + strings.Repeat("}", 10_000)),
		"large pattern":      tool(`{"type":"object","properties":{"a":{"type":"string","pattern":"` + strings.Repeat("(a{1,1000}){1,1000}", 50) + `"}}}`),
		"large schema":       tool(`{"type":"object","description":"` + strings.Repeat("a", 300<<10) + `"}`),
	}
}

// read imports a list and returns the ids of the proposed tools.
func read(text string) (proposed []string, err error) {
	doc, err := wire.Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	for _, s := range intake.Plan(doc, intake.Origin{Label: "x", Server: true, Layer: registry.LayerUser}, intake.Live{Raw: func(string) ([]byte, bool) { return nil, false }}) {
		if s.Draft != nil {
			proposed = append(proposed, s.Name)
		}
	}
	return proposed, nil
}

// TestHostileSchemasAreLeftOut checks that an import skips malicious schemas and proposes the other tools, or nothing
// if the list cannot be read. An unsupported pattern or a remote reference is imported, because it is not evaluated;
// remote references are findings.
func TestHostileSchemasAreLeftOut(t *testing.T) {
	for name, text := range hostile() {
		want := "good"
		if name == "large pattern" || name == "remote reference" {
			want = "trap good"
		}
		proposed, err := read(text)
		if got := strings.Join(proposed, " "); err == nil && got != want {
			t.Errorf("%s: %q is proposed", name, got)
		}
	}
}

func BenchmarkHostileSchemas(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = read(text)
			}
		})
	}
}
