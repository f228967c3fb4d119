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

// Learned has the weight of each feature of a sentence as evidence of an attack:
// hashed, with eight bits for each place. tools/bench/eval learns it;
// `tools/bench/eval/training` and docs/detection.md name the sources.
type Learned struct {
	// Bias is the score of a sentence of which nothing is known. One that
	// reaches Threshold is worth a warning; see judge.
	Bias, Threshold float32
	// WithFrame is the score from which a frame warns, by its rule and the kind of
	// finding of those that have several; Threshold for one that it lacks.
	WithFrame map[string]float32
	// Scale is the value of a weight of one unit, by group.
	Scale   [groupCount]float32
	Weights [groupCount]Weights

	rough []int // by the number of a concept
	once  sync.Once
}

// Weights has the weight of each place of a table, an int8, as it is stored: a table is
// not copied to be read.
type Weights []byte

// At returns the weight of the place that a hash falls on.
func (w Weights) At(hash uint32) int { return int(int8(w[hash&uint32(len(w)-1)])) } //nolint:gosec // the lengths are powers of two

// TableBits is the size of the part of each group, as a power of two.
var TableBits = [groupCount]int{12, 15, 15, 17, 17}

// least is the number of features of each group that a sentence is judged by at
// least: one that says little weighs little.
var least = [groupCount]int{8, 16, 24, 16, 64}

// magic begins a table in a file.
const magic = "crib2"

// Bytes writes the table as parseLearned reads it.
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

// parseLearned reads a table, whose weights stay in b.
func parseLearned(b []byte) (*Learned, error) {
	want := len(magic) + 4*(2+groupCount)
	for _, size := range TableBits {
		want += 1 << size
	}
	if len(b) < want || string(b[:len(magic)]) != magic {
		return nil, errors.New("not a learned table; make it with go run ./tools/bench/eval -learn")
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

// toolTable and promptTable return the tables in force, read when they are first
// asked for. Prompts give orders by nature, so they have one of their own.
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

// tally is a sum of weights of each group, and how many they are.
type tally struct{ sum, n [groupCount]int }

// add adds the weights of the features of one group.
func (t *Learned) add(y *tally, g int, list []uint32) {
	for _, h := range list {
		y.sum[g] += t.Weights[g].At(h)
	}
	y.n[g] += len(list)
}

// plus adds o to y.
func (y *tally) plus(o *tally) {
	for g := range y.sum {
		y.sum[g] += o.sum[g]
		y.n[g] += o.n[g]
	}
}

// of returns the score that y comes to.
func (t *Learned) of(y *tally) float64 {
	score := float64(t.Bias)
	for g, sum := range y.sum {
		score += float64(t.Scale[g]) * float64(sum) * Norm(g, y.n[g])
	}
	return score
}

// signals returns what signals add to a score.
func (t *Learned) signals(list []uint32) float64 {
	var y tally
	t.add(&y, signalGroup, list)
	return float64(t.Scale[signalGroup]) * float64(y.sum[signalGroup]) * Norm(signalGroup, 0)
}

// partial is how much less a part of a sentence of a tool scores than the same words alone
// would: the parts are many, and any of them may look odd without the others. A part between
// words such as "so that" and "for example" is none: nothing that goes on behind them hides
// an attack.
const partial = 2

// pairSum adds up the pairs of concepts of clause j with the one d+1 before it, at
// j*width+d.
type pairSum struct{ sum, n int }

// someClauses is how many clauses most sentences have at most.
const someClauses = 8

// Best returns the highest score of the sentence and of a run of at most maxRun of its
// clauses.
func (t *Learned) Best(x *Clauses) float64 {
	var once tally
	for g, list := range x.once {
		t.add(&once, g, list)
	}
	n := len(x.list)
	width := min(n, maxRun)
	// Most sentences have few clauses, for which the stack has room.
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
			for h := range x.crossed(j-d-1, j) {
				y.sum += t.Weights[pairGroup].At(h)
				y.n++
			}
		}
	}
	best := math.Inf(-1)
	var signals [mostSignals]uint32
	for i := range n {
		run, fit := once, fitness{}
		for j := i; j < n && (i == 0 || j < i+maxRun); j++ {
			run.plus(&alone[j])
			if j > i {
				t.add(&run, phraseGroup, x.bridges[j])
			}
			fit.plus(x.fits[j])
			for d := range min(j-i, width-1) {
				y := &pairs[j*width+d]
				run.sum[pairGroup] += y.sum
				run.n[pairGroup] += y.n
			}
			score := t.of(&run) + t.signals(x.signals(signals[:0], fit))
			if x.tool && (!x.edge(i) || !x.edge(j+1)) {
				score -= partial
			}
			best = max(best, score)
		}
	}
	return best
}

// Norm returns the factor for the sum over n features of group g.
func Norm(g, n int) float64 {
	if g == signalGroup {
		n = 0 // each signal counts by itself
	}
	return 1 / math.Sqrt(float64(max(n, least[g])))
}

// roughly adds up the weights of concepts alone: enough to select the sentences of
// a long text to judge.
func (t *Learned) roughly(set *scan.Set) int {
	t.once.Do(func() {
		for _, name := range grammar().Names() {
			w := 0
			if !isDomain(name) {
				w = t.Weights[namedGroup].At(fnvBasis.str("." + name).mixed())
			}
			t.rough = append(t.rough, w)
		}
	})
	sum := 0
	for n := range set.Numbers() {
		sum += t.rough[n]
	}
	return sum
}

// isDomain reports whether the concept names the domain of a tool: its name is a
// "d" and a capital.
func isDomain(concept string) bool {
	return concept[0] == 'd' && concept[1] >= 'A' && concept[1] <= 'Z'
}
