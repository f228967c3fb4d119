package overlap

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// chance returns a source of random numbers that is the same in every run.
func chance(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// prose returns n random words, of which a few are frequent and many are rare.
func prose(r *rand.Rand, n int) []string {
	ws := make([]string, n)
	for i := range ws {
		ws[i] = fmt.Sprintf("w%d", int(r.ExpFloat64()*300))
	}
	return ws
}

// edited returns ws with each word replaced with probability p.
func edited(r *rand.Rand, ws []string, p float64) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		if out[i] = w; r.Float64() < p {
			out[i] = fmt.Sprintf("x%d", r.IntN(3_000))
		}
	}
	return out
}

func text(ws []string) string { return strings.Join(ws, " ") }
