package overlap

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

func core(t *testing.T, id string) registry.Tool {
	t.Helper()
	for _, d := range shipped.Core() {
		if d.Tool.ID == id {
			return *d.Tool
		}
	}
	t.Fatalf("no core tool %s", id)
	return registry.Tool{}
}

func TestCompareWithItself(t *testing.T) {
	tool := core(t, "canon_checker")
	p := NewFingerprint(tool)
	if one := (Similarity{1, 1}); p.Text(p) != one || p.Purpose(p) != one {
		t.Errorf("got %v and %v", p.Text(p), p.Purpose(p))
	}
	passages := Passages(tool, tool)
	if len(passages) == 0 || passages[0].PathA != "prompt" || passages[0].PathB != "prompt" || passages[0].A != passages[0].B || passages[0].Words < 300 {
		t.Errorf("got %v", passages)
	}
	if words := Words(tool, tool); !slices.Contains(words, "canon") || len(words) != maxWords {
		t.Errorf("got %q", words)
	}
}

func TestCompareWithCopy(t *testing.T) {
	tool := core(t, "canon_checker")
	theft := registry.Tool{
		ID: "lore_helper", Kind: registry.ActionTool, Name: "Helper",
		Description: "My own text goes first and has nothing to do with it. " + tool.Prompt[:1_200],
	}
	if got := NewFingerprint(theft).Text(NewFingerprint(tool)); got.Resemblance > 0.4 || got.Contained < 0.8 {
		t.Errorf("got %v", got)
	}
	p := Passages(theft, tool)[0]
	if p.PathA != "description" || p.PathB != "prompt" || p.B.Start != 0 || !strings.HasPrefix(theft.Description[p.A.Start:], tool.Prompt[:40]) {
		t.Errorf("got %v", p)
	}
}

// Core tools are unrelated to each other and must be distinguished.
func TestCoreToolsDiffer(t *testing.T) {
	tools := shipped.Core()
	for i, a := range tools {
		for _, b := range tools[:i] {
			p, q := NewFingerprint(*a.Tool), NewFingerprint(*b.Tool)
			if text, purpose := p.Text(q).Resemblance, p.Purpose(q).Resemblance; text > 0.2 || purpose > 0.25 {
				t.Errorf("%s and %s: %.2f in text, %.2f in purpose", a.Tool.ID, b.Tool.ID, text, purpose)
			}
		}
	}
}

// A tool with the purpose of a core tool in other words must be more similar to this core tool than
// to any other, and more similar than unrelated tools are to any core tool.
func TestPurposeInOtherWords(t *testing.T) {
	worst := 1.0
	for _, tt := range sameAsCore {
		closest, best := "", 0.0
		for _, d := range shipped.Core() {
			if r := PurposeOf(tt.tool).Resemblance(PurposeOf(*d.Tool)); r > best {
				closest, best = d.Tool.ID, r
			}
		}
		if closest != tt.core {
			t.Errorf("%s: closest to %s, want %s", tt.tool.ID, closest, tt.core)
		}
		worst = min(worst, best)
	}
	for _, tool := range unlikeCore {
		for _, d := range shipped.Core() {
			if r := PurposeOf(tool).Resemblance(PurposeOf(*d.Tool)); r >= worst {
				t.Errorf("%s: %.2f like %s; a tool of the same purpose is %.2f", tool.ID, r, d.Tool.ID, worst)
			}
		}
	}
}

func TestStem(t *testing.T) {
	for want, ws := range map[string][]string{
		"read":    {"read", "reads", "reader", "reading", "open", "opened", "shows"},
		"check":   {"check", "checker", "validate", "validator", "verifies", "review"},
		"search":  {"search", "locator", "finding", "queries"},
		"scan":    {"scan", "scanned", "scanning", "scanner"},
		"issu":    {"issue", "issues"},
		"process": {"process"},
		"":        {"the", "tool", "called", "x"},
	} {
		for _, w := range ws {
			if got := stem(w); got != want {
				t.Errorf("%s: got %q, want %q", w, got, want)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	for schema, want := range map[string]int{
		``: 0, `{`: 0, `[]`: 0, `{"properties":[]}`: 0,
		`{"properties":{"a":{},"b":true}}`: 2,
	} {
		if got := parameters(registry.Tool{InputSchema: []byte(schema)}); len(got) != want {
			t.Errorf("%s: got %q", schema, got)
		}
	}
}

// TestServerLabelIsNoPurpose checks that a common server label in the ids of two unrelated tools
// does not make them similar (R9).
func TestServerLabelIsNoPurpose(t *testing.T) {
	imported := func(name, short string) registry.Tool {
		return registry.Tool{ID: "harbour_" + name, Name: name, Description: short, Source: &registry.Source{Ref: "harbour#" + name}}
	}
	if shared := Words(imported("get_tides", "Returns the tides."), imported("list_ships", "Lists what is moored.")); len(shared) > 0 {
		t.Errorf("both are about %v", shared)
	}
}
