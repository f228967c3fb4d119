package overlap

import (
	"testing"

	"toolcrib/registry/shipped"
)

const many = 100_000

func filled() *Index {
	r := chance(5)
	x := &Index{}
	for i := range many {
		var s Sketch
		for j := range s {
			s[j] = r.Uint64()
		}
		x.Add(int64(i), s)
	}
	return x
}

func BenchmarkScan100000(b *testing.B) {
	x := filled()
	s := Of("what is looked for")
	x.Add(many, s)
	for b.Loop() {
		if len(x.Scan(s, 0.4, many)) != 1 {
			b.Fatal("not found")
		}
	}
}

// BenchmarkScanAlike100000 searches for the most likely matches among tools that are all similar.
func BenchmarkScanAlike100000(b *testing.B) {
	s := Of("what is looked for")
	x := &Index{}
	for i := range many {
		x.Add(int64(i), s)
	}
	for b.Loop() {
		if len(x.Scan(s, 0.4, 20)) != 20 {
			b.Fatal("not found")
		}
	}
}

func BenchmarkLoad100000(b *testing.B) {
	blob, err := filled().AppendBinary(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(blob)))
	for b.Loop() {
		var x Index
		if err := x.Load(blob); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for _, size := range []struct {
		name  string
		words int
	}{{"100words", 100}, {"10KB", 2_200}, {"1MB", 220_000}} {
		b.Run(size.name, func(b *testing.B) {
			s := text(prose(chance(6), size.words))
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Of(s)
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	core := shipped.Core()
	for b.Loop() {
		a, b := NewFingerprint(*core[0].Tool), NewFingerprint(*core[1].Tool)
		a.Text(b)
		a.Purpose(b)
	}
}

func BenchmarkCommon1MB(b *testing.B) {
	s := text(prose(chance(6), 220_000))
	for b.Loop() {
		Common(s, s[5_000:])
	}
}
