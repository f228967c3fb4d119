package rules

import (
	"bytes"
	"cmp"
	_ "embed" // the weights
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolcrib/review/rules/scan"
)

// SignTable says how much each feature of a sentence speaks for an attack.
type SignTable struct {
	// A sentence whose score reaches Threshold is reported.
	Bias, Threshold float64

	weights map[uint64]int // by the hash of the feature, in tenths of a natural logarithm of odds
	names   []string
}

// NewSignTable makes a table of weights by feature, natural logarithms of odds
// in tenths.
func NewSignTable(bias float64, weights map[string]int) SignTable {
	t := SignTable{Bias: bias, weights: map[uint64]int{}}
	for name, w := range weights {
		t.add(name, w)
	}
	return t
}

func (t *SignTable) add(name string, weight int) {
	t.weights[weighed("", name).key] = weight
	t.names = append(t.names, name)
}

// Weight returns what a feature counts, in tenths; 0 when the table lacks it.
func (t SignTable) Weight(name string) int { return t.weights[weighed("", name).key] }

//go:embed signs.txt
var signsText string

// ShippedSigns returns the table that S139 uses, read when it is first asked for.
func ShippedSigns() SignTable { return shippedSigns() }

var shippedSigns = sync.OnceValue(func() SignTable {
	t, err := ParseSigns(signsText)
	if err != nil {
		panic("rules: signs.txt: " + err.Error()) // the table is embedded; a test reads it
	}
	return t
})

// ParseSigns reads a table: lines of a weight and the features that have it,
// separated by tabs. The features "=bias" and "=threshold" stand for themselves, in
// hundredths.
func ParseSigns(text string) (SignTable, error) {
	t := NewSignTable(0, nil)
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		w, err := strconv.Atoi(fields[0])
		if err != nil {
			return SignTable{}, fmt.Errorf("%q is no weight: %w", fields[0], err)
		}
		for _, f := range fields[1:] {
			switch f {
			case "=bias":
				t.Bias = float64(w) / 100
			case "=threshold":
				t.Threshold = float64(w) / 100
			default:
				t.add(f, w)
			}
		}
	}
	return t, nil
}

// String writes the table as ParseSigns reads it, the heaviest features first.
func (t SignTable) String() string {
	byWeight := map[int][]string{}
	for _, f := range t.names {
		byWeight[t.Weight(f)] = append(byWeight[t.Weight(f)], f)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d\t=bias\n%d\t=threshold\n", int(math.Round(100*t.Bias)), int(math.Round(100*t.Threshold)))
	for _, w := range slices.Backward(slices.Sorted(maps.Keys(byWeight))) {
		slices.Sort(byWeight[w])
		fmt.Fprintf(&b, "%d\t%s\n", w, strings.Join(byWeight[w], "\t"))
	}
	return b.String()
}

// A sentence with fewer words than FewWords is not judged, and one with fewer
// features than ManyFeatures is judged as if it had as many: little was said.
const (
	FewWords     = 4
	ManyFeatures = 24
)

// Score adds the weights of the features that the table knows, over the square
// root of their number, so that long sentences do not weigh more than short
// ones. It is -Inf for a sentence that says too little to be judged.
func (t SignTable) Score(s Sign) float64 {
	sum, known, said := 0, 0, 0
	for _, f := range s.features {
		if f.prefix == "" {
			said++
		}
		if w, ok := t.weights[f.key]; ok {
			sum += w
			known++
		}
	}
	if said < FewWords {
		return math.Inf(-1)
	}
	return t.Bias + float64(sum)/10/math.Sqrt(float64(max(known, ManyFeatures)))
}

// reasons names the words of text that weigh most, at most four.
func (t SignTable) reasons(text string) string {
	var words []string
	for _, w := range wordsOf(withoutLinks(scan.Fold(text))) {
		if t.Weight(stem(w)) > 0 && !idle[w] && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "for what it speaks of and where"
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(t.Weight(stem(b)), t.Weight(stem(a))) })
	words = words[:min(len(words), 4)]
	for i, w := range words {
		words[i] = fmt.Sprintf("%q", w)
	}
	return "for " + strings.Join(words, ", ")
}
