package intake

import (
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct{ schema, least, most string }{
		{`{}`, `{}`, `{}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{}`, `{}`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":3}},"required":["a"]}`, `{"a":"example a"}`, `{"a":"example a","b":3}`},
		{`{"type":"object","properties":{"e":{"enum":["x","y"]},"d":{"type":"number","default":2.5},"c":{"const":null}}}`, `{}`, `{"c":null,"d":2.5,"e":"x"}`},
		{`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string","format":"uuid"},"minItems":2}},"required":["ids"]}`, `{"ids":["00000000-0000-4000-8000-000000000000","00000000-0000-4000-8000-000000000000"]}`, `{"ids":["00000000-0000-4000-8000-000000000000","00000000-0000-4000-8000-000000000000"]}`},
		{`{"type":"object","$defs":{"p":{"type":"string","maxLength":3}},"properties":{"p":{"$ref":"#/$defs/p"}},"required":["p"]}`, `{"p":"exa"}`, `{"p":"exa"}`},
		{`{"type":"object","$defs":{"a b":{"oneOf":[{"type":"boolean"},{"$anchor":"n","type":"null"}]}},"properties":{"b":{"$ref":"#/$defs/a%20b/oneOf/0"},"n":{"$ref":"#n"}},"required":["b","n"]}`, `{"b":true,"n":null}`, `{"b":true,"n":null}`},
		{`{"type":"object","properties":{"u":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["u"]}`, `{"u":true}`, `{"u":true}`},
		{`{"type":"object","properties":{"n":{"type":"integer","maximum":-4}},"required":["n"]}`, `{"n":-4}`, `{"n":-4}`},
		{`{"type":"object","properties":{"p":{"type":"string","pattern":"^[A-Z]{9}$"}},"required":["p"]}`, ``, ``}, // no matching text is known
		{`{"type":"object","properties":{"o":{"$ref":"#"}},"required":["o"]}`, ``, ``},                             // never ends
	} {
		least, most := arguments([]byte(c.schema))
		for i, made := range []sample{least, most} {
			want := []string{c.least, c.most}[i]
			got := ""
			if made.ok {
				got = string(jsondoc.Canonical(made.value))
			}
			if got != want {
				t.Errorf("%s: %s, want %s", c.schema, got, want)
			}
		}
	}
}

// TestExamplesFitWhatIsShipped checks that arguments can be generated for all shipped schemas.
func TestExamplesFitWhatIsShipped(t *testing.T) {
	for _, d := range shipped.Assistant() {
		if least, _ := arguments(d.Tool.InputSchema); !least.ok {
			t.Errorf("%s: no arguments fit", d.ID())
		}
	}
}

func TestDraftsCanBeSubmitted(t *testing.T) {
	o := Origin{Label: "here", Layer: registry.LayerUser}
	for _, d := range append(shipped.Core(), shipped.Assistant()...) {
		s := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: d.ID()}
		if ps := o.draft("new", s, 0, d, "Because.").Problems(); len(ps) > 0 {
			t.Errorf("%s: %v", d.ID(), ps)
		}
	}
	for _, d := range shipped.Agents() {
		s := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: d.ID()}
		if ps := o.draft("new", s, 0, d, "Because.").Problems(); len(ps) > 0 {
			t.Errorf("%s: %v", d.ID(), ps)
		}
	}
}
