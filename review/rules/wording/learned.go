// This file scores sentences with the learned tables.

package wording

import (
	_ "embed" // the tables
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules/scan"
)

// Learned is a linear model that estimates whether a sentence is an attack. It has an 8-bit weight
// for each hashed feature. tools/bench/eval trains it; tools/bench/eval/training and
// docs/detection.md document the sources of the training data.
type Learned struct {
	// Bias is the score of a sentence without features. A sentence with a score of at least
	// Threshold causes a warning; see judge.
	Bias, Threshold float32
	// WithFrame contains the thresholds for sentences with a frame. A key is the id of a rule,
	// followed by the kind of the finding for rules with several kinds. Threshold applies to all
	// frames without a key.
	WithFrame map[string]float32
	// Scale contains the factor for the weights of each group.
	Scale   [groupCount]float32
	Weights [groupCount]Weights

	conceptWeights []int // indexed by the number of the concept; see roughScore
	once           sync.Once
}

// Weights is a table of weights, each stored as an int8. The table refers to the embedded data
// instead of copying it.
type Weights []byte

// At returns the weight for the given hash.
func (w Weights) At(hash uint32) int { return int(int8(w[hash&uint32(len(w)-1)])) } //nolint:gosec // the lengths are powers of two

// TableBits contains the base-2 logarithm of the table size of each group.
var TableBits = [groupCount]int{12, 15, 15, 17, 17}

// minFeatures contains a minimum number of features for each group. If a sentence has fewer
// features, Norm uses the minimum instead, which gives little weight to these few features.
var minFeatures = [groupCount]int{8, 16, 24, 16, 64}

// magic is the header of a table file.
const magic = "crib2"

// Bytes encodes t in the format that parseLearned reads.
func (t *Learned) Bytes() []byte {
	b := []byte(magic)
	for _, f := range append([]float32{t.Bias, t.Threshold}, t.Scale[:]...) {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	for _, group := range t.Weights {
		b = append(b, group...)
	}
	for _, rule := range slices.Sorted(maps.Keys(t.WithFrame)) {
		b = fmt.Appendf(b, "%s %.2f\n", rule, t.WithFrame[rule])
	}
	return b
}

// parseLearned parses a table. The result refers to the weights in b.
func parseLearned(b []byte) (*Learned, error) {
	want := len(magic) + 4*(2+groupCount)
	for _, size := range TableBits {
		want += 1 << size
	}
	if len(b) < want || string(b[:len(magic)]) != magic {
		return nil, errors.New("not a learned table: create one with go run ./tools/bench/eval -learn")
	}
	b = b[len(magic):]
	next := func() float32 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return f
	}
	t := &Learned{Bias: next(), Threshold: next(), WithFrame: map[string]float32{}}
	for g := range t.Scale {
		t.Scale[g] = next()
	}
	for g, size := range TableBits {
		t.Weights[g], b = b[:1<<size:1<<size], b[1<<size:]
	}
	for line := range strings.Lines(string(b)) {
		var rule string
		var at float32
		if _, err := fmt.Sscanf(line, "%s %f", &rule, &at); err != nil {
			return nil, fmt.Errorf("the score for a frame, %q: %w", line, err)
		}
		t.WithFrame[rule] = at
	}
	return t, nil
}

//go:embed learned_tools.bin
var learnedTools []byte

//go:embed learned_prompts.bin
var learnedPrompts []byte

// toolTable and promptTable return the current tables for tools and for prompts. They parse the
// embedded data on the first call. Prompts have a separate table, because they consist of
// instructions.
var (
	toolTable   = sync.OnceValue(func() *Learned { return embedded(learnedTools) })
	promptTable = sync.OnceValue(func() *Learned { return embedded(learnedPrompts) })
)

func embedded(b []byte) *Learned {
	t, err := parseLearned(b)
	if err != nil {
		panic("rules: " + err.Error()) // the tables are embedded; a test reads them
	}
	return t
}

// tally contains the sum and the number of the weights in each group.
type tally struct{ sum, n [groupCount]int }

// add adds the weights of the features in list, which belong to group g, to y.
func (t *Learned) add(y *tally, g int, list []uint32) {
	for _, h := range list {
		y.sum[g] += t.Weights[g].At(h)
	}
	y.n[g] += len(list)
}

func (y *tally) add(o *tally) {
	for g := range y.sum {
		y.sum[g] += o.sum[g]
		y.n[g] += o.n[g]
	}
}

// score returns the score for the sums in y.
func (t *Learned) score(y *tally) float64 {
	score := float64(t.Bias)
	for g, sum := range y.sum {
		score += float64(t.Scale[g]) * float64(sum) * Norm(g, y.n[g])
	}
	return score
}

// signals returns the contribution of the signals in list to the score of a passage.
func (t *Learned) signals(list []uint32) float64 {
	var y tally
	t.add(&y, signalGroup, list)
	return float64(t.Scale[signalGroup]) * float64(y.sum[signalGroup]) * Norm(signalGroup, 0)
}

// partial is subtracted from the score of a part of a sentence in a tool, because one of the many
// parts of a sentence may look suspicious without its context. There is an exception if each end of
// the part is an end of the sentence or a joining word such as "so that" or "for example". Without
// the exception, text added after a joining word could hide an attack.
const partial = 2

// pairSum is the sum and the number of the weights of all pairs of concepts in clause j and clause
// j-d-1. Best stores it at index j*width+d.
type pairSum struct{ sum, n int }

// someClauses is the number of clauses that Best can score without allocating memory. Most
// sentences have fewer clauses.
const someClauses = 8

// Best scores the whole sentence and every run of at most maxRun consecutive clauses, and returns
// the highest score.
func (t *Learned) Best(x *Clauses) float64 {
	var once tally
	for g, list := range x.wholeSentence {
		t.add(&once, g, list)
	}
	n := len(x.list)
	width := min(n, maxRun)
	// Most sentences need no allocation on the heap.
	var someAlone [someClauses]tally
	var somePairs [someClauses * someClauses]pairSum
	alone, pairs := someAlone[:], somePairs[:]
	if n > someClauses {
		alone, pairs = make([]tally, n), make([]pairSum, n*width)
	}
	for i := range x.list {
		for g, list := range x.list[i] {
			t.add(&alone[i], g, list)
		}
	}
	for j := range n {
		for d := range min(j, width-1) {
			y := &pairs[j*width+d]
			for h := range x.conceptPairs(j-d-1, j) {
				y.sum += t.Weights[pairGroup].At(h)
				y.n++
			}
		}
	}
	best := math.Inf(-1)
	var signals [mostSignals]uint32
	for i := range n {
		run, fit := once, fit{}
		for j := i; j < n && (i == 0 || j < i+maxRun); j++ {
			run.add(&alone[j])
			if j > i {
				t.add(&run, phraseGroup, x.bridges[j])
			}
			fit.add(x.fitness[j])
			for d := range min(j-i, width-1) {
				y := &pairs[j*width+d]
				run.sum[pairGroup] += y.sum
				run.n[pairGroup] += y.n
			}
			score := t.score(&run) + t.signals(x.signals(signals[:0], fit))
			if x.tool && (!x.isBoundary(i) || !x.isBoundary(j+1)) {
				score -= partial
			}
			best = max(best, score)
		}
	}
	return best
}

// Norm returns the factor that normalizes the sum of n features of group g.
func Norm(g, n int) float64 {
	if g == signalGroup {
		n = 0 // signals are not normalized by their number
	}
	return 1 / math.Sqrt(float64(max(n, minFeatures[g])))
}

// roughScore returns the sum of the weights of the concepts in set. It ignores all other features,
// but is precise enough to select the sentences of a long text that are scored.
func (t *Learned) roughScore(set *scan.Set) int {
	t.once.Do(func() {
		for _, name := range grammar().Names() {
			w := 0
			if !isDomain(name) {
				w = t.Weights[namedGroup].At(fnvBasis.str("." + name).mixed())
			}
			t.conceptWeights = append(t.conceptWeights, w)
		}
	})
	sum := 0
	for n := range set.Numbers() {
		sum += t.conceptWeights[n]
	}
	return sum
}

// isDomain reports whether the given concept is about the domain of a tool. The name of such a
// concept begins with "d" and a capital letter.
func isDomain(concept string) bool {
	return concept[0] == 'd' && concept[1] >= 'A' && concept[1] <= 'Z'
}
