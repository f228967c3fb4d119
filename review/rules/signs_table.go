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
	// Weights are natural logarithms of odds, in tenths.
	Weights map[string]int
	// A sentence whose score reaches Threshold is reported.
	Bias, Threshold float64
}

//go:embed signs.txt
var signsText string

// ShippedSigns returns the table that S139 uses, read when it is first asked for.
var ShippedSigns = sync.OnceValue(func() SignTable {
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
	t := SignTable{Weights: map[string]int{}}
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
				t.Weights[f] = w
			}
		}
	}
	return t, nil
}

// String writes the table as ParseSigns reads it, the heaviest features first.
func (t SignTable) String() string {
	byWeight := map[int][]string{}
	for f, w := range t.Weights {
		byWeight[w] = append(byWeight[w], f)
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
func (t SignTable) Score(features []string) float64 {
	sum, known, said := 0, 0, 0
	for _, f := range features {
		if plainWord(f) {
			said++
		}
		if w, ok := t.Weights[f]; ok {
			sum += w
			known++
		}
	}
	if said < FewWords {
		return math.Inf(-1)
	}
	return t.Bias + float64(sum)/10/math.Sqrt(float64(max(known, ManyFeatures)))
}

// plainWord reports whether a feature is a single word.
func plainWord(f string) bool {
	return f[0] >= 'a' && f[0] <= 'z' && !strings.Contains(f, " ")
}

// reasons names the words of text that weigh most, at most four.
func (t SignTable) reasons(text string) string {
	var words []string
	for _, w := range wordsOf(withoutLinks(scan.Fold(text))) {
		if t.Weights[stem(w)] > 0 && !idle[w] && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "for what it speaks of and where"
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(t.Weights[stem(b)], t.Weights[stem(a)]) })
	words = words[:min(len(words), 4)]
	for i, w := range words {
		words[i] = fmt.Sprintf("%q", w)
	}
	return "for " + strings.Join(words, ", ")
}
