// This file compares a tool with each tool of a small set.

package overlap

import (
	"cmp"
	"math"
	"slices"

	"toolcrib/registry"
)

// Corpus is a small set of tools, such as the core tools. Compare compares another tool with every tool of the set. It
// finds two kinds of similarity that sketches miss: a copied part of a longer text, and the same purpose described in
// other words, if the descriptions share some rare words.
type Corpus struct {
	tools   []member
	weights map[string]float64 // weights of the words that the corpus uses, by stem
	unknown float64            // weight of all other words
}

// member is a tool of a corpus.
type member struct {
	ToolWords
	mass float64 // total weight of the words in About
}

// CorpusWords is the input of NewCorpus. It can be stored. A process that compares a single tool then need not read all
// tools of the corpus.
type CorpusWords struct {
	Tools []ToolWords
	Count int            // number of tools that determine the weights of words
	Uses  map[string]int // maps the stem of each word to the number of these tools that use the word
}

// ToolWords contains the words of one tool of a corpus.
type ToolWords struct {
	ID    string
	Texts Set
	About purpose
}

// Comparison is the result of comparing a tool with a tool of a corpus.
type Comparison struct {
	ID string // id of the tool in the corpus
	// Shingles is the number of word shingles of the compared tool. If it is small, even a large similarity is not
	// significant.
	Shingles int
	Text     Similarity // similarity of all texts that a model reads
	// Covered is the share of the corpus tool's text that the other tool contains.
	Covered float64
	// Purpose is the similarity of the purposes, from 0 to 1. It is the total weight of the shared words, divided by
	// the geometric mean of the total weights of both tools. Rare words have a greater weight (inverse document
	// frequency, Spärck Jones, 1972). Words in a name or a goal count twice.
	Purpose float64
	Words   []string // shared words by decreasing weight, at most 12
}

// WordsOf returns the words of a corpus with the given tools. The weights of the words depend on these tools and on
// extra.
func WordsOf(tools, extra []registry.Tool) CorpusWords {
	c := CorpusWords{Count: len(tools) + len(extra), Uses: map[string]int{}}
	for _, t := range tools {
		p := ToolWords{ID: t.ID, Texts: textsOf(t), About: about(t)}
		for s := range p.About {
			c.Uses[s]++
		}
		c.Tools = append(c.Tools, p)
	}
	for _, t := range extra {
		for s := range about(t) {
			c.Uses[s]++
		}
	}
	return c
}

// NewCorpus returns a corpus with the given content.
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

// Compare compares t with each tool of the corpus. It returns the results by decreasing similarity of the purpose.
func (c *Corpus) Compare(t registry.Tool) []Comparison {
	texts, words := textsOf(t), about(t)
	mass, known := c.mass(words), texts.filter()
	var all []Comparison
	for _, p := range c.tools {
		shared := known.shared(p.Texts)
		k := Comparison{ID: p.ID, Shingles: len(texts), Covered: similarityOf(p.Texts, texts, shared).Contained, Text: similarityOf(texts, p.Texts, shared)}
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
	slices.Sort(weights) // sorted for a reproducible sum, because floating-point addition is not associative
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

// about returns the content words of the texts about the purpose and the use of t. It omits the prompt, because the
// call format and the steps are similar in all prompts.
func about(t registry.Tool) purpose {
	p := purpose{}
	p.add(2, t.Name, t.ID, t.Goals, t.Short())
	p.add(1, t.Description, t.UsageNotes)
	p.add(1, parameters(t)...)
	return p
}

// textsOf returns the word shingles of all texts of t that a model reads.
func textsOf(t registry.Tool) Set {
	return TextSet(t.UsageNotes, t.Goals, t.Guardrails, t.Prompt, t.Description)
}
