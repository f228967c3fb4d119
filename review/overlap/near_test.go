package overlap

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"toolcrib/internal/shortrun"
)

// neighbour returns s with so many of its bits turned over.
func neighbour(r *rand.Rand, s Sketch, bits int) Sketch {
	for _, bit := range r.Perm(sketchBits)[:bits] {
		s[bit/64] ^= 1 << (bit % 64)
	}
	return s
}

// TestNear scans what Near leaves of many blocks and all that is in them, among
// neighbours that differ in as many bits as may be, one more, one fewer, and
// others: the answers are the same, however many are asked for.
func TestNear(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := chance(11)
	for _, c := range []struct {
		least float64
		most  int
	}{{0.4, 1}, {0.4, 7}, {0.55, 7}, {0.55, 20}, {0, 5}} {
		least, most := c.least, c.most
		sought := neighbour(r, Sketch{}, sketchBits/2)
		limit := farthest(least)
		var whole, left Index
		dropped := 0
		for block := range 60 {
			var x Index
			for i := range 20 {
				s := neighbour(r, sought, limit-3+r.IntN(7))
				switch r.IntN(3) {
				case 0:
					s = neighbour(r, sought, r.IntN(sketchBits))
				case 1:
					s = neighbour(r, Sketch{}, r.IntN(sketchBits))
				}
				x.Add(int64(100*block+i), s)
			}
			stored, _ := x.AppendBinary(nil)
			near, err := Near(stored, sought, least, most)
			if err := errors.Join(err, whole.Load(stored), left.Load(near)); err != nil {
				t.Fatal(err)
			}
			dropped += x.Len()
		}
		if dropped -= left.Len(); dropped == 0 || left.Len() < 60 {
			t.Fatalf("%d are left and %d not: too few to say anything", left.Len(), dropped)
		}
		if got, want := left.Scan(sought, least, most), whole.Scan(sought, least, most); !reflect.DeepEqual(got, want) {
			t.Errorf("of %d by %v at most %d: got %v, want %v", whole.Len(), least, most, got, want)
		}
	}
}

// TestNearRefuses is given what is not blocks.
func TestNearRefuses(t *testing.T) {
	var x Index
	x.Add(1, Of("a text of some words"))
	stored, _ := x.AppendBinary(nil)
	if _, err := Near(stored[:len(stored)-1], Sketch{1}, 0, 1); !errors.Is(err, ErrDamaged) {
		t.Errorf("cut short: %v", err)
	}
	stored[len(magic)]++
	if _, err := Near(stored, Sketch{1}, 0, 1); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}
