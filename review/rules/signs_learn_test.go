package rules

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

var (
	learnFrom = flag.String("learn", "", "learn signs.txt: comma-separated NDJSON files with honest tool definitions")
	testOn    = flag.String("honest", "", "comma-separated NDJSON files to choose and report the threshold on")
	holdOut   = flag.String("holdout", "", "attack file to leave out and report on")
)

// TestLearnSigns makes signs.txt. It learns from the attacks and look-alikes in
// testdata and from the honest definitions given with -learn:
//
//	go test -run LearnSigns . -args -learn honest.jsonl -honest more.jsonl
func TestLearnSigns(t *testing.T) {
	if *learnFrom == "" {
		t.Skip("nothing to learn from")
	}
	attacks, held := attackUnits(t)
	var honest [][]unit
	for _, c := range slices.Concat(cases(t, "testdata/benign/lookalikes.txt"), cases(t, "testdata/benign/servers.txt"), cases(t, "testdata/benign/sentences.txt")) {
		honest = append(honest, changeUnits(c, 0))
	}
	for _, c := range definitions(t, *learnFrom) {
		honest = append(honest, changeUnits(c, 0))
	}
	m := learn(attacks, honest)
	scores := m.worst(t, definitions(t, *testOn))
	for _, rate := range []float64{0.002, 0.003, 0.005, 0.01} {
		at := scores[int(rate*float64(len(scores)))]
		hits := 0
		for _, u := range held {
			if s, _ := m.score(u.features); s >= at {
				hits++
			}
		}
		t.Logf("false alarms %.1f%%: threshold %.2f, held out %d of %d", 100*rate, at, hits, len(held))
	}
	if *holdOut == "" {
		m.threshold = math.Ceil(10*scores[int(0.004*float64(len(scores)))]) / 10
		m.save(t, "signs.txt")
	}
}

// worst returns the highest score of each change, the worst first.
func (m signTable) worst(t *testing.T, changes []*Change) []float64 {
	t.Helper()
	var scores []float64
	for _, c := range changes {
		best := math.Inf(-1)
		for _, u := range changeUnits(c, 0) {
			if s, _ := m.score(u.features); s > best {
				best = s
			}
		}
		scores = append(scores, best)
	}
	slices.Sort(scores)
	slices.Reverse(scores)
	return scores
}

// attackUnits returns the telling sentences of the attacks: all but the first
// of each description, which is honest, and the last parameter.
func attackUnits(t *testing.T) (units, held []unit) {
	t.Helper()
	files, err := filepath.Glob("testdata/attacks/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, c := range cases(t, file) {
			u := changeUnits(c, 1)
			if filepath.Base(file) == *holdOut {
				held = append(held, u...)
			} else {
				units = append(units, u...)
			}
		}
	}
	return units, held
}

// changeUnits returns the units of a change without the first skip sentences
// of the description.
func changeUnits(c *Change, skip int) []unit {
	var list []unit
	var param []unit
	for i := range c.scan() {
		s := &c.scan()[i]
		if !s.Visible || s.Kind != Prose {
			continue
		}
		us := c.units(s, s.readings()[0])
		switch {
		case s.Param != "" && skip > 0:
			param = us
		case s.Param != "" || s.Path != "definition.description":
			list = append(list, us...)
		case len(us) > skip:
			list = append(list, us[skip:]...)
		case skip > 0 && len(us) == 1 && len(c.Texts()) < 4:
			list = append(list, us...)
		}
	}
	return append(list, param...)
}

// definitions reads MCP tool definitions, one a line, alone or under "tool".
func definitions(t *testing.T, files string) []*Change {
	t.Helper()
	var list []*Change
	for name := range strings.SplitSeq(files, ",") {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			type tool struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
			var row struct {
				Category string
				tool
				Tool, After *tool
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			def := row.tool
			if row.Tool != nil {
				def = *row.Tool
			} else if row.After != nil {
				def = *row.After
			}
			if row.Category == "hard_negative" {
				continue
			}
			c := toolChange(def.Name, def.Description)
			c.Draft.Definition = registry.Definition{Tool: &registry.Tool{ID: def.Name, Name: def.Name, Kind: registry.ActionTool, Description: def.Description, InputSchema: def.InputSchema}}
			list = append(list, c)
		}
		_ = f.Close()
	}
	return list
}

// labelled is a unit with its label.
type labelled struct {
	features []string
	attack   bool
}

// Parameters of the regression.
const (
	minSeen   = 4   // occurrences of a feature that is learned
	minWeight = 0.3 // smaller weights are left out
	rounds    = 14
	rate      = 0.3
	decay     = 1e-4
	stress    = 3 // how much more an attack counts than an honest sentence
)

// learn fits the weights by AdaGrad, twice: the second time only for features
// that turned out to matter.
func learn(attacks []unit, honest [][]unit) signTable {
	seen := map[string]bool{}
	var examples []labelled
	count := map[string]int{}
	add := func(u unit, attack bool) {
		key := fmt.Sprint(attack, u.features)
		if seen[key] {
			return
		}
		seen[key] = true
		examples = append(examples, labelled{u.features, attack})
		for _, f := range u.features {
			count[f]++
		}
	}
	for _, u := range attacks {
		add(u, true)
	}
	for _, us := range honest {
		for _, u := range us {
			add(u, false)
		}
	}
	w := map[string]float64{}
	for f, n := range count {
		if n >= minSeen {
			w[f] = 0
		}
	}
	fit(examples, w)
	for f, x := range w {
		if math.Abs(x) < minWeight {
			delete(w, f)
		} else {
			w[f] = 0
		}
	}
	bias := fit(examples, w)
	t := signTable{weight: map[string]int{}, bias: math.Round(10*bias) / 10}
	for f, x := range w {
		if n := int(math.Round(10 * x)); n != 0 {
			t.weight[f] = n
		}
	}
	return t
}

func fit(examples []labelled, w map[string]float64) (bias float64) {
	grad := map[string]float64{}
	rng := rand.New(rand.NewPCG(1, 2))
	bias = -1
	order := rng.Perm(len(examples))
	for range rounds {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			e := examples[i]
			var known []string
			sum := 0.0
			for _, f := range e.features {
				if x, ok := w[f]; ok {
					known = append(known, f)
					sum += x
				}
			}
			norm := math.Sqrt(float64(max(manyFeatures, len(known))))
			p := 1 / (1 + math.Exp(-(bias + sum/norm)))
			g := p
			if e.attack {
				g = stress * (p - 1)
			}
			bias -= 0.02 * g
			for _, f := range known {
				d := g/norm + decay*w[f]
				grad[f] += d * d
				w[f] -= rate * d / (1e-3 + math.Sqrt(grad[f]))
			}
		}
	}
	return bias
}

func (m signTable) save(t *testing.T, path string) {
	t.Helper()
	byWeight := map[int][]string{}
	for f, w := range m.weight {
		byWeight[w] = append(byWeight[w], f)
	}
	var b strings.Builder
	b.WriteString("# How much each word (plain), concept (.name) and setting (@name) of a sentence speaks for an attack, in tenths.\n")
	b.WriteString("# Made by TestLearnSigns; see security_signs.go.\n")
	fmt.Fprintf(&b, "%d =bias\n%d =threshold\n", int(math.Round(10*m.bias)), int(math.Round(10*m.threshold)))
	for _, w := range slices.Backward(slices.Sorted(maps.Keys(byWeight))) {
		slices.Sort(byWeight[w])
		fmt.Fprintf(&b, "%d %s\n", w, strings.Join(byWeight[w], " "))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
