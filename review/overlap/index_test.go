package overlap

import (
	"slices"
	"testing"

	"toolcrib/internal/shortrun"
)

// At least 99 % of the pairs with a resemblance of 0.4 or more are found, and few others.
func TestScanFinds(t *testing.T) {
	shortrun.OneGoroutine(t)
	const least = 0.4
	r := chance(3)
	var x Index
	for i := range 1_000 {
		x.Add(int64(i), Of(text(prose(r, 10+i%300))))
	}
	var alike, found, atLeast, foundAtLeast, candidates int
	for i := range 1_500 {
		ws := prose(r, 10+int(r.ExpFloat64()*150))
		a, b := text(ws), text(edited(r, ws, r.Float64()*0.4))
		j := Jaccard(a, b)
		one := Index{}
		one.Add(int64(i), Of(a))
		n := len(one.Scan(Of(b), least, 1))
		if j >= least {
			alike++
			found += n
		}
		if j >= least && j < least+0.05 {
			atLeast++
			foundAtLeast += n
		}
		candidates += len(x.Scan(Of(b), least, x.Len()))
	}
	if alike < 300 || atLeast < 60 {
		t.Fatalf("%d pairs are alike, %d of them barely: too few to say anything", alike, atLeast)
	}
	if float64(found) < 0.999*float64(alike) || float64(foundAtLeast) < 0.99*float64(atLeast) {
		t.Errorf("found %d of %d, and %d of %d that are barely alike", found, alike, foundAtLeast, atLeast)
	}
	if candidates > 3 {
		t.Errorf("%d candidates among texts that have nothing in common", candidates)
	}
}

func TestScanOrders(t *testing.T) {
	r := chance(4)
	ws := prose(r, 200)
	var x Index
	x.Add(7, Of(text(edited(r, ws, 0.05))))
	x.Add(-3, Sketch{})
	x.Add(9, Of(text(ws)))
	x.Add(8, Of(text(ws)))
	x.Add(6, Of(text(prose(r, 200))))
	got := x.Scan(Of(text(ws)), 0.4, 5)
	if len(got) != 3 || got[0].ID != 9 || got[1].ID != 8 || got[2].ID != 7 || got[0].Estimate != 1 || got[2].Estimate >= 1 {
		t.Errorf("got %v", got)
	}
	if got := x.Scan(Sketch{}, 0, 5); got != nil {
		t.Errorf("nothing resembles %v", got)
	}
	if got := x.Scan(Of("a"), -1, 5); len(got) != 4 {
		t.Errorf("everything resembles by nothing or more; got %d", len(got))
	}
}

// A limited scan must return the first matches of an unlimited one.
func TestScanKeepsTheLikeliest(t *testing.T) {
	r := chance(8)
	ws := prose(r, 120)
	var x Index
	for i := range 400 {
		x.Add(int64(i), Of(text(edited(r, ws, float64(i%9)/20))))
	}
	for _, least := range []float64{-1, 0.4, 0.9} {
		all := x.Scan(Of(text(ws)), least, x.Len())
		for _, most := range []int{0, 1, 20, 399, 400, 401} {
			if got := x.Scan(Of(text(ws)), least, most); !slices.Equal(got, all[:min(most, len(all))]) {
				t.Errorf("%v, at most %d: got %v", least, most, got)
			}
		}
	}
}
