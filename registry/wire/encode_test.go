package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
)

// TestEncodeDecode encodes the shipped tools in each format and reads
// them onto themselves: nothing must change.
func TestEncodeDecode(t *testing.T) {
	byID := map[string]registry.Tool{}
	var listed []wire.Listed
	for _, d := range append(shipped.Core(), shipped.Assistant()...) {
		byID[d.ID()] = *d.Tool
		listed = append(listed, wire.Listed{Tool: *d.Tool, CreatedAt: "2026-01-15T12:00:00Z"})
	}
	for format, want := range map[wire.Format]int{wire.V0: 16, wire.OpenAI: 23, wire.Anthropic: 23, wire.MCP: 23} {
		data, left, err := wire.Encode(format, listed)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := wire.Decode(data)
		if err != nil || doc.Format != format || len(doc.Items) != want || len(left) == 0 || len(left[len(left)-1]) > 200 {
			t.Errorf("%s: %d tools as %s, %v", format, len(doc.Items), doc.Format, err)
		}
		for _, it := range doc.Items {
			before := byID[it.Name]
			after := it.ApplyTo(before)
			if (registry.Definition{Tool: &before}).Hash() != (registry.Definition{Tool: &after}).Hash() {
				t.Errorf("%s: %s changes", format, it.Name)
			}
		}
	}
	if _, _, err := wire.Encode(wire.Names, listed); err == nil {
		t.Error("encoded a list of names")
	}
}

// TestImportedToolsAreKept also covers a definition that was edited since:
// unknown keys stay.
func TestImportedToolsAreKept(t *testing.T) {
	raw := []byte(`{"type":"function","function":{"strict":true,"name":"getIt","description":"Get.","parameters":{"type":"object"}}}`)
	it, err := wire.ReadItem(wire.OpenAI, raw)
	if err != nil {
		t.Fatal(err)
	}
	tool := it.ApplyTo(registry.Tool{ID: "get_it", Source: &registry.Source{Type: registry.SourceOpenAI, Ref: "app#getIt", Hash: it.Hash()}})
	for _, description := range []string{"Get.", "Get it."} {
		tool.Description = description
		data, _, err := wire.Encode(wire.OpenAI, []wire.Listed{{Tool: tool, Raw: raw}})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := wire.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		back := doc.Items[0]
		if back.Name != "getIt" || back.Rest(tool) != it.Rest(tool) || back.ApplyTo(tool).Description != description {
			t.Errorf("written as %s", data)
		}
	}
}

// TestHostLimits checks the limits of OpenAI: 128 tools, and descriptions of 1,024
// characters (G20).
func TestHostLimits(t *testing.T) {
	tool := func(i, chars int) wire.Listed {
		return wire.Listed{Tool: registry.Tool{ID: fmt.Sprintf("get_%d", i), Kind: registry.ActionTool, Description: strings.Repeat("é", chars)}}
	}
	var fits []wire.Listed
	for i := range 128 {
		fits = append(fits, tool(i, 1024))
	}
	if got := wire.HostLimits(wire.OpenAI, fits); got != nil {
		t.Errorf("%q", got)
	}
	more := append(fits, tool(128, 1025))
	if got := wire.HostLimits(wire.OpenAI, more); len(got) != 2 || !strings.HasPrefix(got[0], "129 tools") || !strings.Contains(got[1], "get_128 (1025)") {
		t.Errorf("%q", got)
	}
	if got := wire.HostLimits(wire.Anthropic, more); got != nil {
		t.Errorf("%q", got)
	}
}
