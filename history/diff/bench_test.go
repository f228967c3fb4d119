package diff_test

import (
	"testing"

	"toolcrib/history/diff"
)

// megabyte returns 1 MB of prose and the same with 30 % of the lines edited.
func megabyte() (before, after string) {
	r := random(3)
	lines := prose(r, 25_000)
	return join(lines), join(edited(r, lines, 0.3))
}

func BenchmarkLines(b *testing.B) {
	before, after := megabyte()
	b.SetBytes(int64(len(before)))
	b.ReportAllocs()
	for b.Loop() {
		diff.Lines(before, after)
	}
	d, i := diff.Lines(before, after).Changed()
	b.ReportMetric(float64(d+i), "changed")
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
