package overlap

import (
	"encoding/binary"
	"math"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
)

func TestSketchOfNothing(t *testing.T) {
	empty := Of("", " -- ")
	if !empty.IsZero() || empty.Resemblance(empty) != 0 || empty.Resemblance(Of("a")) != 0 {
		t.Errorf("got %x", empty)
	}
}

func TestSketchIgnoresForm(t *testing.T) {
	a, b := Of("Read the file, then report."), Of("read THE ﬁle then\u200b\nreport", "")
	if a != b || a.Resemblance(b) != 1 {
		t.Error("the form of a text makes a difference")
	}
	if Of("one two", "three") == Of("one two three") {
		t.Error("a shingle spans two texts")
	}
	if s := TextSet("a b c d a b c"); s.Sketch() != Of("a b c d a b c") {
		t.Error("the sketch of the set is another than that of the text")
	}
}

// Sketches are stored, so a different sketch of the same text requires a new Version.
func TestSketchIsStable(t *testing.T) {
	for text, want := range map[string]string{
		"a":                          "8721da70f833320e",
		"read the file, then report": "f6cc058e5163f711",
		"Café 読む the ﬁle_reader ①":   "20bfb08c354a3186",
	} {
		b, _ := binary.Append([]byte{Version}, binary.LittleEndian, Of(text))
		if got := registry.HashBytes(b)[:16]; got != want {
			t.Errorf("%q: got %s, want %s (raise Version when this is meant)", text, got, want)
		}
	}
}

// The estimate has the expected mean and standard deviation for sets of any size.
func TestResemblanceIsEstimated(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := chance(1)
	for _, size := range []int{1, 4, 40, 400, 4_000} {
		for _, j := range []float64{0, 0.25, 0.5, 0.75, 1} {
			shared := int(math.Round(2 * float64(size) * j / (1 + j)))
			want := float64(shared) / float64(2*size-shared)
			const runs = 200
			var sum, squares float64
			for range runs {
				var a, b []uint64
				for i := range size {
					x := r.Uint64()
					if a = append(a, x); i >= shared {
						x = r.Uint64()
					}
					b = append(b, x)
				}
				s, u := newSketch(a), newSketch(b)
				e := 1 - 2*float64(s.differing(&u))/sketchBits - want
				sum, squares = sum+e, squares+e*e
			}
			mean, scatter := sum/runs, math.Sqrt(squares/runs)
			if limit := 4 * deviation(want) / math.Sqrt(runs); math.Abs(mean) > limit+1e-9 {
				t.Errorf("%d elements at %.2f: off by %.4f on average, at most %.4f expected", size, want, mean, limit)
			}
			if limit := 1.2 * deviation(want); scatter > limit+1e-9 {
				t.Errorf("%d elements at %.2f: scatters by %.4f, at most %.4f expected", size, want, scatter, limit)
			}
		}
	}
}

// A set that is constructed to leave bins empty costs more, but only to a limit, and is still
// sampled.
func TestSketchOfEvasiveSet(t *testing.T) {
	r := chance(2)
	var set []uint64
	for len(set) < 20_000 {
		x, evades := r.Uint64(), true
		for round := uint64(1); round <= throws && evades; round++ {
			evades = mix(x+round*golden)%sketchBits >= 8
		}
		if evades {
			set = append(set, x)
		}
	}
	s := newSketch(append([]uint64{}, set...))
	u := newSketch(append([]uint64{}, set[:15_000]...))
	if got := s.Resemblance(u); math.Abs(got-0.75) > 4*deviation(0.75) {
		t.Errorf("got %.3f, want 0.75", got)
	}
}
