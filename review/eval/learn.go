package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"toolcrib/review/rules"
)

// example is one definition to learn from.
type example struct {
	group  string // where it comes from; a group is never split between folds
	attack bool
	// signs are its sentences. Of an attack at least one is telling; which, is
	// found out while learning, unless sure marks them.
	signs []rules.Sign
	sure  []bool
	text  string // as it stands in testdata
	other bool   // a rule besides S139 warns of it
}

// Parameters of the regression.
const (
	minSeen   = 3   // sentences that a feature must occur in to be learned
	minWeight = 0.3 // smaller weights are left out
	rounds    = 12
	rate      = 0.25
	decay     = 1e-4
	bags      = 5
	stress    = 3 // how much more an attack counts than an honest sentence
)

// fitting is a regression under way.
type fitting struct {
	index  map[string]int
	names  []string
	weight []float64
	grad   []float64
	bias   float64
}

// point is one sentence with its label.
type point struct {
	features []int
	attack   bool
}

// learn fits a table to examples by AdaGrad: first to every sentence of an
// attack that may be the telling one, then to those that came out as telling.
func learn(examples []example) rules.SignTable {
	var t rules.SignTable
	telling := func(e *example, i int) bool { return e.sure == nil || e.sure[i] }
	for pass := range 3 {
		f := gather(examples, telling)
		f.fit(points(f, examples, telling))
		f.drop()
		f.fit(points(f, examples, telling))
		t = f.table()
		if pass == 2 {
			break
		}
		telling = func(e *example, i int) bool {
			if e.sure != nil {
				return e.sure[i]
			}
			best, at := math.Inf(-1), -1
			for k := range e.signs {
				if s := t.Score(e.signs[k]); s > best {
					best, at = s, k
				}
			}
			return i == at || t.Score(e.signs[i]) > 1
		}
	}
	return t
}

func gather(examples []example, telling func(*example, int) bool) *fitting {
	f := &fitting{index: map[string]int{}}
	count := map[string]int{}
	seen := map[string]bool{}
	for k := range examples {
		e := &examples[k]
		for i, s := range e.signs {
			if e.attack && !telling(e, i) {
				continue
			}
			key := strings.Join(s.Features(), "\n")
			if seen[key] {
				continue
			}
			seen[key] = true
			for _, name := range s.Features() {
				count[name]++
			}
		}
	}
	for name, n := range count {
		if n >= minSeen {
			f.names = append(f.names, name)
		}
	}
	slices.Sort(f.names)
	for i, name := range f.names {
		f.index[name] = i
	}
	f.weight, f.grad = make([]float64, len(f.names)), make([]float64, len(f.names))
	return f
}

// points lists each different sentence once.
func points(f *fitting, examples []example, telling func(*example, int) bool) []point {
	seen := map[string]bool{}
	var list []point
	for k := range examples {
		e := &examples[k]
		for i, s := range e.signs {
			if e.attack && !telling(e, i) {
				continue
			}
			p := point{attack: e.attack}
			for _, name := range s.Features() {
				if n, ok := f.index[name]; ok {
					p.features = append(p.features, n)
				}
			}
			key := fmt.Sprint(e.attack, p.features)
			if !seen[key] {
				seen[key] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// fit is the mean of several fits, each of which leaves another part of the
// points out: what only one of them relies on counts for less.
func (f *fitting) fit(points []point) {
	mean := make([]float64, len(f.weight))
	bias := 0.0
	for bag := range bags {
		var some []point
		for i, p := range points {
			if (i*7919+i/13)%bags != bag {
				some = append(some, p)
			}
		}
		f.descend(some)
		for i, w := range f.weight {
			mean[i] += w / bags
		}
		bias += f.bias / bags
	}
	copy(f.weight, mean)
	f.bias = bias
}

func (f *fitting) descend(points []point) {
	clear(f.weight)
	clear(f.grad)
	f.bias = -1
	rng := rand.New(rand.NewPCG(1, 2))
	order := rng.Perm(len(points))
	for range rounds {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, n := range order {
			f.step(points[n])
		}
	}
}

func (f *fitting) step(p point) {
	sum := 0.0
	for _, i := range p.features {
		sum += f.weight[i]
	}
	norm := math.Sqrt(float64(max(rules.ManyFeatures, len(p.features))))
	g := 1 / (1 + math.Exp(-(f.bias + sum/norm)))
	if p.attack {
		g = stress * (g - 1)
	}
	f.bias -= 0.02 * g
	for _, i := range p.features {
		d := g/norm + decay*f.weight[i]
		f.grad[i] += d * d
		f.weight[i] -= rate * d / (1e-3 + math.Sqrt(f.grad[i]))
	}
}

// drop leaves out the features that turned out to matter little.
func (f *fitting) drop() {
	var kept []string
	for i, name := range f.names {
		if math.Abs(f.weight[i]) >= minWeight {
			kept = append(kept, name)
		}
	}
	f.names, f.index = kept, map[string]int{}
	for i, name := range kept {
		f.index[name] = i
	}
	f.weight, f.grad = make([]float64, len(kept)), make([]float64, len(kept))
}

func (f *fitting) table() rules.SignTable {
	weights := map[string]int{}
	for i, name := range f.names {
		if w := int(math.Round(10 * f.weight[i])); w != 0 {
			weights[name] = w
		}
	}
	return rules.NewSignTable(math.Round(100*f.bias)/100, weights)
}
