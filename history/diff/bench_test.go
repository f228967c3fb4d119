package diff_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"toolcrib/history/diff"
)

// megabyte returns 1 MB of prose and a copy with 30 % of the lines edited.
func megabyte() (before, after string) {
	r := random(3)
	return editedText(r, prose(r, 27_500), 0.3)
}

func editedText(r *rand.Rand, lines []string, part float64) (before, after string) {
	return join(lines), join(edited(r, lines, part))
}

func BenchmarkLines(b *testing.B) {
	r := random(3)
	for _, p := range []struct {
		name  string
		lines []string
		part  float64
	}{
		{"prose, 30 % edited", prose(r, 27_500), 0.3},
		{"code, 30 % edited", code(r, 80_000), 0.3},
		{"prose, 1 line edited", prose(r, 27_500), 1. / 27_500},
		{"prose, 80 % edited", prose(r, 27_500), 0.8},
	} {
		b.Run(p.name, func(b *testing.B) {
			before, after := editedText(r, p.lines, p.part)
			b.SetBytes(int64(len(before)))
			b.ReportAllocs()
			for b.Loop() {
				diff.Lines(before, after)
			}
			d, i := diff.Lines(before, after).Changed()
			b.ReportMetric(float64(d+i), "changed")
			b.ReportMetric(float64(len(before)), "bytes")
		})
	}
}

// BenchmarkWords marks all hunks of that diff.
func BenchmarkWords(b *testing.B) {
	hunks := diff.Lines(megabyte()).Unified(3)
	b.ReportAllocs()
	for b.Loop() {
		for _, h := range hunks {
			h.Words()
		}
	}
	b.ReportMetric(float64(len(hunks)), "hunks")
}

// BenchmarkLongLine marks a line of a million characters.
func BenchmarkLongLine(b *testing.B) {
	r := random(12)
	line := words(r, 170_000)
	other := words(r, 170_000)
	edit := []byte(line)
	for range 2000 {
		edit[r.IntN(len(edit))] = 'x'
	}
	for _, p := range []pair{
		{"one word", line, line[:500_000] + "x" + line[500_001:]},
		{"2000 characters", line, string(edit)},
		{"other words", line, other},
		{"no blanks", strings.Repeat("ab", 500_000), strings.Repeat("ba", 500_000)},
		{"punctuation", strings.Repeat("(]", 500_000), strings.Repeat("[)", 300_000)},
		{"random punctuation", punctuation(r, 1_000_000), punctuation(r, 1_000_000)},
		{"Chinese", strings.Repeat("请先检查场景节奏", 40_000), strings.Repeat("请先检查段落节奏", 40_000)},
		{"combining marks", "e" + strings.Repeat("\u0301", 500_000), "e" + strings.Repeat("\u0302", 500_000)},
	} {
		b.Run(p.name, func(b *testing.B) {
			h := diff.Lines(p.old, p.new).Unified(3)[0]
			b.ReportAllocs()
			for b.Loop() {
				h.Words()
			}
		})
	}
}

// BenchmarkHugeBlock marks a hunk with only rewritten lines.
func BenchmarkHugeBlock(b *testing.B) {
	for _, p := range adversarial(1 << 20) {
		hunks := diff.Lines(p.old, p.new).Unified(3)
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				for _, h := range hunks {
					h.Words()
				}
			}
			b.ReportMetric(float64(len(hunks)), "hunks")
		})
	}
}

func BenchmarkMerge3(b *testing.B) {
	r := random(13)
	lines := prose(r, 25_000)
	base, ours, theirs := join(lines), join(edited(r, lines, 0.05)), join(edited(r, lines, 0.05))
	b.ReportAllocs()
	for b.Loop() {
		diff.Merge3(base, ours, theirs)
	}
}

func BenchmarkShortText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, h := range diff.Lines("Read the file and report.\nend\n", "Read the scene and report.\nend\n").Unified(3) {
			h.Words()
		}
	}
}

func BenchmarkAdversarial(b *testing.B) {
	for _, p := range adversarial(1 << 20) {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Lines(p.old, p.new)
			}
			d, i := diff.Lines(p.old, p.new).Changed()
			b.ReportMetric(float64(d+i), "changed")
		})
	}
}

func punctuation(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = ".,;:!?()"[r.IntN(8)]
	}
	return string(b)
}
