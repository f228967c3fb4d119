package overlap

import (
	"cmp"
	"math"
	"slices"

	"toolcrib/registry"
)

// Corpus is a few tools, such as the core, that another tool is compared with one
// by one. It finds similarities that a sketch cannot: a copy of a part, and the
// same purpose in other words, where most words differ and the rare ones agree.
type Corpus struct {
	tools   []member
	weights map[string]float64 // of the words in it, by stem
	unknown float64            // of all others
}

// member is a tool of a corpus as others are compared with it.
type member struct {
	ToolWords
	mass float64 // of the words of About together
}

// CorpusWords contains everything that a Corpus needs to know about its tools. It can be
// stored, so that a process that compares one tool does not read all of them.
type CorpusWords struct {
	Tools []ToolWords
	Count int            // of the tools that words are weighed by
	Uses  map[string]int // by stem: how many of these have the word
}

// ToolWords contains the words of a tool of a corpus.
type ToolWords struct {
	ID    string
	Texts Set
	About purpose
}

// Comparison describes how similar a tool is to one of a corpus.
type Comparison struct {
	ID string // of the tool of the corpus
	// Shingles is the number of word shingles compared; of few, a large share
	// means little.
	Shingles int
	Text     Similarity // of all texts for a model
	// Covered is the share of the corpus tool's text that the other contains.
	Covered float64
	// Purpose is how near the purposes are, from 0 to 1: the weight of the words
	// that both have by the geometric mean of the weights of all that each has.
	// A word weighs the more the fewer tools use it (the inverse document
	// frequency of Spärck Jones, 1972), and twice as much in a name or a goal.
	Purpose float64
	Words   []string // that both have, the heaviest first, at most 12
}

// WordsOf returns the words of the tools of a corpus. The weights of words are learned
// from them and from others, which are not compared.
func WordsOf(tools, others []registry.Tool) CorpusWords {
	c := CorpusWords{Count: len(tools) + len(others), Uses: map[string]int{}}
	for _, t := range tools {
		p := ToolWords{ID: t.ID, Texts: textsOf(t), About: about(t)}
		for s := range p.About {
			c.Uses[s]++
		}
		c.Tools = append(c.Tools, p)
	}
	for _, t := range others {
		for s := range about(t) {
			c.Uses[s]++
		}
	}
	return c
}

// NewCorpus returns a corpus of the tools with these words.
func NewCorpus(words CorpusWords) *Corpus {
	rarity := func(n int) float64 { return 0.3 + math.Log(float64(words.Count+1)/float64(n+1)) }
	c := &Corpus{unknown: rarity(0), weights: make(map[string]float64, len(words.Uses))}
	for s, n := range words.Uses {
		c.weights[s] = rarity(n)
	}
	for _, t := range words.Tools {
		c.tools = append(c.tools, member{t, c.mass(t.About)})
	}
	return c
}

// Compare compares t with every tool of the corpus, and returns the one with the most
// similar purpose first.
func (c *Corpus) Compare(t registry.Tool) []Comparison {
	texts, words := textsOf(t), about(t)
	mass := c.mass(words)
	var all []Comparison
	for _, p := range c.tools {
		k := Comparison{ID: p.ID, Shingles: len(texts), Covered: similarity(p.Texts, texts).Contained, Text: similarity(texts, p.Texts)}
		k.Words, k.Purpose = words.shared(p.About, c.weight)
		if k.Purpose > 0 {
			k.Purpose /= math.Sqrt(mass * p.mass)
		}
		all = append(all, k)
	}
	slices.SortStableFunc(all, func(a, b Comparison) int { return -cmp.Compare(a.Purpose, b.Purpose) })
	return all
}

func (c *Corpus) mass(words purpose) float64 {
	var weights []float64
	for s, t := range words {
		weights = append(weights, c.weight(s)*float64(t.Weight))
	}
	slices.Sort(weights) // so that a sum is the same every time
	var sum float64
	for _, w := range weights {
		sum += w
	}
	return sum
}

func (c *Corpus) weight(stem string) float64 {
	if w, ok := c.weights[stem]; ok {
		return w
	}
	return c.unknown
}

// about returns the stems of the content words in the texts on a tool's purpose
// and use. The prompt is left out: its form of a call and its steps are similar in
// every tool.
func about(t registry.Tool) purpose {
	p := purpose{}
	p.add(2, t.Name, t.ID, t.Goals, t.Short())
	p.add(1, t.Description, t.UsageNotes)
	p.add(1, parameters(t)...)
	return p
}

// textsOf returns the word shingles of all texts of a tool for a model.
func textsOf(t registry.Tool) Set {
	return TextSet(t.UsageNotes, t.Goals, t.Guardrails, t.Prompt, t.Description)
}
