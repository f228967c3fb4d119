package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"toolcrib/review/rules/wording"
)

// example is one definition or prompt to learn from or to try a table on.
type example struct {
	*sample
	sentences []*wording.Clauses
	// sure marks the telling sentences of an attack; nil when only the whole
	// is known to be one.
	sure []bool
	own  bool // written for this project
	// certain is set when it is found under every table.
	certain bool
	// margin is how much more than the threshold a sentence without a frame must score.
	margin float64
	frames [][]string // the rules that fired in each sentence
}

// tops are the scores of the most telling sentence, and of the most telling one
// in which each rule fired.
type tops struct {
	any    float64
	framed map[string]float64
}

// reach reports whether one of them is high enough for a warning: above without for a
// sentence, above that of its rule in with for a frame.
func (s tops) reach(without float64, with map[string]float32) bool {
	if s.any >= without {
		return true
	}
	for rule, score := range s.framed {
		if t, ok := with[rule]; ok && score >= float64(t) {
			return true
		}
	}
	return false
}

func best(t *wording.Learned, e *example) tops {
	top := tops{math.Inf(-1), map[string]float64{}}
	for i := range e.sentences {
		score := t.Best(e.sentences[i])
		top.any = max(top.any, score)
		for _, rule := range e.frames[i] {
			top.note(rule, score)
		}
	}
	return top
}

// note notes the score of a passage in which the rule fired.
func (s tops) note(rule string, score float64) {
	if old, ok := s.framed[rule]; !ok || score > old {
		s.framed[rule] = score
	}
}

// Parameters of the regression.
const (
	roughRounds = 2
	rounds      = 4
	pace        = 0.15
	stress      = 6 // how much more a telling sentence counts than an honest one
	nearby      = 3 // how much more an honest sentence that is close to attacks counts
	decay       = 2e-5
	bags        = 3
	most        = 80 // honest sentences to learn from of one text, about
	seldom      = 3  // a place of the table that fewer sentences met stays 0
	easy        = -4 // the score below which the rough fit is sure of an honest sentence
	every       = 4  // of those it is sure of, one in so many is learned from
)

// fitting is a logistic regression under way.
type fitting struct {
	bias, biasGrad float64
	weight, grad   [len(wording.TableBits)][]float32
}

func newFitting() *fitting {
	f := &fitting{bias: -2}
	for g, size := range wording.TableBits {
		f.weight[g], f.grad[g] = make([]float32, 1<<size), make([]float32, 1<<size)
	}
	return f
}

// point is a sentence with its label.
type point struct {
	features *wording.Features
	attack   bool
	counts   float64
	bag      int
}

func (f *fitting) score(x *wording.Features) float64 {
	sum := f.bias
	for g, list := range x {
		mask := uint32(1)<<wording.TableBits[g] - 1
		part := 0.0
		for _, h := range list {
			part += float64(f.weight[g][h&mask])
		}
		sum += part * wording.Norm(g, len(list))
	}
	return sum
}

// step moves the weights by AdaGrad.
func (f *fitting) step(p point) {
	slope := 1 / (1 + math.Exp(-f.score(p.features)))
	if p.attack {
		slope--
	}
	slope *= p.counts
	f.biasGrad += slope * slope
	f.bias -= pace * slope / (1 + math.Sqrt(f.biasGrad))
	for g, list := range p.features {
		mask := uint32(1)<<wording.TableBits[g] - 1
		by := slope * wording.Norm(g, len(list))
		for _, h := range list {
			w, s := &f.weight[g][h&mask], &f.grad[g][h&mask]
			d := float32(by) + decay**w
			*s += d * d
			*w -= pace * d / (1e-2 + float32(math.Sqrt(float64(*s))))
		}
	}
}

// learn fits a table to examples: first to every sentence of an attack that may be decisive, then to those that scored
// as decisive. The table is the mean of several fits, each without some of the sources, which reduces the influence of
// a single source.
func learn(examples []*example) *wording.Learned {
	rough := descend(points(examples, nil), -1, roughRounds)
	list := points(examples, rough)
	f := newFitting()
	f.bias = 0
	for bag := range bags {
		f.add(descend(list, bag, rounds))
	}
	return f.table()
}

// descend fits to the points but for those of one bag of sources.
func descend(points []point, without, rounds int) *fitting {
	f := newFitting()
	var some []point
	for _, p := range points {
		if p.bag != without {
			some = append(some, p)
		}
	}
	rng := rand.New(rand.NewPCG(1, uint64(without+1)))
	for range rounds {
		rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		for _, p := range some {
			f.step(p)
		}
	}
	f.drop(some)
	return f
}

// add adds one of several fits to their mean.
func (f *fitting) add(o *fitting) {
	f.bias += o.bias / bags
	for g := range f.weight {
		for i, w := range o.weight[g] {
			f.weight[g][i] += w / bags
		}
	}
}

// points returns the sentences to fit to. If only the whole text of an attack is labelled, f determines the decisive
// sentences; of the honest sentences with a clear score, points takes a sample.
func points(examples []*example, f *fitting) []point {
	var list []point
	for _, e := range examples {
		bag, telling := bagOf(e.source), e.sure
		if e.attack && telling == nil && f != nil {
			telling = f.telling(e)
		}
		stride := 1 + len(e.sentences)/most
		for i := range e.sentences {
			if !e.attack && i%stride != 0 { // limit the weight of a long text
				continue
			}
			x := e.whole(i)
			switch {
			case e.attack && telling == nil:
				list = append(list, point{x, true, stress / float64(len(e.sentences)), bag})
			case e.attack && telling[i]:
				list = append(list, point{x, true, stress, bag})
			case e.attack:
			case f == nil && !e.own, f != nil && f.score(x) < easy:
				if (len(list)+i)%every == 0 {
					list = append(list, point{x, false, every * e.boundary(), bag})
				}
			default:
				list = append(list, point{x, false, e.boundary(), bag})
				if run := e.clause(i); run != nil && f != nil {
					list = append(list, point{run, false, e.boundary(), bag})
				}
			}
		}
	}
	return list
}

// whole returns the features of sentence i as one.
func (e *example) whole(i int) *wording.Features {
	f := e.sentences[i].Run(0, e.sentences[i].Len())
	return &f
}

// clause returns one of several clauses of sentence i, which is judged alone too: nil
// when there is only one.
func (e *example) clause(i int) *wording.Features {
	n := e.sentences[i].Len()
	if n < 2 {
		return nil
	}
	at := i % n
	run := e.sentences[i].Run(at, min(n, at+1+i/n%2))
	return &run
}

// telling selects the sentences of an attack that f takes for the attack: at least
// one.
func (f *fitting) telling(e *example) []bool {
	list := make([]bool, len(e.sentences))
	top, at := math.Inf(-1), -1
	for i := range e.sentences {
		s := f.score(e.whole(i))
		list[i] = s > 0
		if s > top {
			top, at = s, i
		}
	}
	if at >= 0 {
		list[at] = true
	}
	return list
}

// boundary returns the weight of an honest sentence, which is higher if it was written to resemble attacks.
func (e *example) boundary() float64 {
	if e.hard || e.own && e.prompt {
		return nearby
	}
	return 1
}

// bagOf returns the bag of a source.
func bagOf(source string) int {
	h := fnv.New32a()
	h.Write([]byte("bag " + source))
	return int(h.Sum32()>>8) % bags
}

// drop clears the places of features that few sentences have: their weights are
// chance.
func (f *fitting) drop(points []point) {
	for g, size := range wording.TableBits {
		met := make([]uint8, 1<<size)
		mask := uint32(1)<<size - 1
		for _, p := range points {
			for _, h := range p.features[g] {
				if met[h&mask] < seldom {
					met[h&mask]++
				}
			}
		}
		for i, n := range met {
			if n < seldom {
				f.weight[g][i] = 0
			}
		}
	}
}

// table rounds the weights to eight bits.
func (f *fitting) table() *wording.Learned {
	t := &wording.Learned{Bias: float32(f.bias)}
	for g, list := range f.weight {
		widest := float32(1e-6)
		for _, w := range list {
			widest = max(widest, w, -w)
		}
		t.Scale[g] = widest / 127
		t.Weights[g] = make(wording.Weights, len(list))
		for i, w := range list {
			t.Weights[g][i] = byte(int8(math.Round(float64(w / t.Scale[g]))))
		}
	}
	return t
}
