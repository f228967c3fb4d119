package proposals

import (
	"bytes"
	"strings"
	"testing"
)

// BenchmarkForms measures a typical proposal and one with a text of 1 MB.
func BenchmarkForms(b *testing.B) {
	large := pacer()
	large.Definition.Tool.Prompt = strings.Repeat("A line of a long prompt, with an é.\n", 1<<20/36) + "end"
	for name, d := range map[string]Draft{"usual": pacer(), "1MB": large} {
		text := d.JSON()
		md, err := d.Markdown()
		if err != nil {
			b.Fatal(err)
		}
		run := func(what string, f func()) {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("DecodeJSON", func() { _, _ = DecodeJSON(text) })
		run("JSON", func() { d.JSON() })
		run("DecodeMarkdown", func() { _, _ = DecodeMarkdown(md) })
		run("Markdown", func() { _, _ = d.Markdown() })
		run("Problems", func() { _ = d.Problems() })
		run("Canonical", func() { d.Canonical() })
	}
}

// BenchmarkHostile measures texts that are as expensive as possible.
func BenchmarkHostile(b *testing.B) {
	for name, text := range map[string]string{
		"empty documents": strings.Repeat("{}", MaxFile/2),
		"one list":        "[" + strings.Repeat("{},", MaxFile/3-1) + "{}]",
		"large documents": strings.Repeat(`{"a":[`+strings.Repeat("1,", 1<<20-10)+"1]}", 15),
		"test cases":      `{"testCases":[` + strings.Repeat("{},", 1<<20-10) + "{}]}",
		"unknown keys":    "{" + strings.Repeat(`"a":0,`, MaxDocument/6-1) + `"b":0}`,
		"headings":        "---\n---\n## Test cases\n" + strings.Repeat("###\n", MaxDocument/4-10),
		"bullets":         "---\n---\n## Examples\n" + strings.Repeat("-\n", MaxDocument/2-20),
		"long example":    "---\n---\n## Examples\n-\n" + strings.Repeat("  \n  a\n", MaxDocument/7-20),
		"fences":          "---\n---\n## Test cases\n" + strings.Repeat("###\n```yaml\n```\n", MaxDocument/16-20),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parsed, err := DecodeFile("", bytes.Clone([]byte(text)))
				for _, p := range parsed {
					_ = p.Problems()
				}
				if err != nil && len(err.Error()) > 1<<20 {
					b.Fatalf("a message of %d bytes", len(err.Error()))
				}
			}
		})
	}
}
