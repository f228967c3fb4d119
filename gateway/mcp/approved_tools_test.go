package mcp

import (
	"fmt"
	"testing"

	"toolcrib/registry"
)

func pageOf(n, version int) []registry.Entry {
	entries := make([]registry.Entry, n)
	for i := range entries {
		id := fmt.Sprintf("get_things_%d", i)
		d := registry.Definition{Tool: &registry.Tool{
			ID: id, Kind: registry.ActionTool, Name: id, Description: fmt.Sprintf("Get things in way %d.", version),
			InputSchema: []byte(`{"properties":{"ids":{"description":"Only these.","items":{"type":"string"},"type":"array"}},"type":"object"}`),
		}}
		entries[i].Live = registry.Live{
			Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id}, Version: version, ContentHash: d.Hash(), Definition: d,
		}
	}
	return entries
}

// TestWrittenPages checks that versions change after an approval, and that the tools stay the same otherwise (P3).
func TestWrittenPages(t *testing.T) {
	var w pageCache
	first, err := w.of(pageOf(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	for version := range maxWritten + 2 {
		entries := pageOf(3, 1)
		entries[1] = pageOf(3, version+1)[1]
		tools, err := w.of(entries)
		if err != nil || len(tools) != 3 {
			t.Fatalf("%d tools, %v", len(tools), err)
		}
		if want := fmt.Sprintf("Get things in way %d.", version+1); tools[1].Description != want || tools[1].Meta["toolcrib/version"] != version+1 {
			t.Errorf("version %d is listed as %q, %v", version+1, tools[1].Description, tools[1].Meta)
		}
		if version == 0 && tools[0] != first[0] {
			t.Error("the same page was written again")
		}
		if len(w.pages) > maxWritten {
			t.Fatalf("%d pages are kept", len(w.pages))
		}
	}
}

func BenchmarkListedPage(b *testing.B) {
	entries := pageOf(100, 1)
	b.Run("written", func(b *testing.B) {
		for b.Loop() {
			if _, err := approvedTools(entries); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("known", func(b *testing.B) {
		var w pageCache
		for b.Loop() {
			if _, err := w.of(entries); err != nil {
				b.Fatal(err)
			}
		}
	})
}
