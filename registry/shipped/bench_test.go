package shipped_test

import (
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/shipped"
)

func BenchmarkIsCore(b *testing.B) {
	for b.Loop() {
		shipped.IsCore("file_reader")
	}
}

func BenchmarkCoreHashes(b *testing.B) {
	for b.Loop() {
		shipped.CoreHashes()
	}
}

// BenchmarkParseOneCoreTool measures one sixteenth of the work that opening a
// database avoids.
func BenchmarkParseOneCoreTool(b *testing.B) {
	text := inMarkdown(b, shipped.Core()[0])
	for b.Loop() {
		if _, err := mdfile.DecodeDefinition(registry.KindTool, text); err != nil {
			b.Fatal(err)
		}
	}
}
