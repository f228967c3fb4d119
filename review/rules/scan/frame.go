// This file parses frames.

package scan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Frame is a named pattern of concepts within a sentence.
//
// A pattern is a list of steps, separated by spaces:
//
//	read            a word or phrase of the concept "read"
//	read|open       of either concept; a name of a group in Spec.Groups
//	                means all its members
//	read/b          in the base form; /s third person, /d past, /g -ing
//	'if_so'         the word or phrase itself, with "_" for a space, in any inflection
//	tag+marker      of the first concept, in a word or phrase that also contains
//	                a word of the second
//	^read           where an imperative is possible: at the start of a clause or
//	                after a word of the concept "lead"
//	..4             up to four words before the next step (default none)
//	!neg            no word of the concept anywhere in the sentence
//	!<3neg          none within three words before the first step
//	!>3neg          none within three words after the last step
//	&secret         a word of the concept somewhere in the sentence
//	~12             as the first step: the steps match in any order, all
//	                within 12 words
type Frame struct {
	Name    string
	Pattern string
}

// step is one element of a pattern. It lists concepts, and matches each word or phrase of the text
// that has at least one of them.
type step struct {
	*part
	with       []*part // further parts; the same words must match all of them
	forms      form
	gap        int32 // maximum number of words before the step
	imperative bool
}

// part is the set of alternative concepts and words in a step or a guard.
type part struct {
	set      Set
	literals []uint16 // concepts of set that share a bit
	members  []uint16 // all concepts of set
	// words contains the numbers of literal words that are too common to be indexed. The scanner
	// searches a sentence for these words only if a frame needs them.
	words []uint32
}

// guard is a condition on the sentence of a match: at least one of its concepts must occur or, for
// a negated guard, none may occur.
type guard struct {
	*part
	within int32 // maximum distance in words; 0 means anywhere in the sentence
	after  bool  // after the match, not before the match
	absent bool
}

type frame struct {
	steps  []step
	guards []guard
	any    int32   // if positive, steps match in any order within this number of words
	anchor int     // index of the step with the rarest concepts
	others []*part // the parts of all steps except the anchor, the rarest first
}

func (g *Grammar) compile(f Frame) (frame, error) {
	texts := strings.Fields(f.Pattern)
	out := frame{steps: make([]step, 0, min(len(texts), maxSteps))}
	gap := int32(0)
	for i, text := range texts {
		var err error
		switch {
		case text[0] == '~' && i == 0:
			out.any, err = number(text[1:])
		case strings.HasPrefix(text, ".."):
			gap, err = number(text[2:])
		case text[0] == '!', text[0] == '&':
			var gu guard
			gu, err = g.guard(text)
			out.guards = append(out.guards, gu)
		default:
			var st step
			st, err = g.step(text)
			st.gap, gap = gap, 0
			out.steps = append(out.steps, st)
		}
		if err != nil {
			return out, fmt.Errorf("%q: %w", text, err)
		}
	}
	if len(out.steps) == 0 || len(out.steps) > maxSteps {
		return out, fmt.Errorf("a frame has 1 to %d steps", maxSteps)
	}
	if !slices.ContainsFunc(out.steps, func(st step) bool { return len(st.members) > 0 }) {
		// All words are common, so index them nevertheless: compile the frame as if none were common.
		frequency := g.frequency
		g.frequency = nil
		defer func() { g.frequency = frequency }()
		return g.compile(f)
	}
	return out, nil
}

// maxSteps is the maximum number of steps in a pattern.
const maxSteps = 8

func number(s string) (int32, error) {
	n, err := strconv.ParseUint(s, 10, 8)
	return int32(n), err
}

func (g *Grammar) step(text string) (step, error) {
	st := step{forms: anyForm}
	text, st.imperative = strings.CutPrefix(text, "^")
	text, with, _ := strings.Cut(text, "+")
	for with != "" {
		var names string
		names, with, _ = strings.Cut(with, "+")
		p, err := g.concepts(names)
		if err != nil {
			return st, err
		}
		st.with = append(st.with, p)
	}
	names, forms, ok := strings.Cut(text, "/")
	if ok {
		st.forms = 0
		for _, r := range forms {
			i := strings.IndexRune("bsdg", r)
			if i < 0 {
				return st, fmt.Errorf("unknown form %q", r)
			}
			st.forms |= 1 << i
		}
	}
	var err error
	st.part, err = g.concepts(names)
	return st, err
}

func (g *Grammar) guard(text string) (guard, error) {
	gu := guard{absent: text[0] == '!'}
	text = text[1:]
	if text != "" && (text[0] == '<' || text[0] == '>') {
		gu.after = text[0] == '>'
		end := 1
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		n, err := number(text[1:end])
		if err != nil {
			return gu, err
		}
		gu.within, text = n, text[end:]
	}
	var err error
	gu.part, err = g.concepts(text)
	return gu, err
}

// concepts returns the part for the given names of concepts, joined by "|". Steps with the same
// names share a part, except in a frame that consists only of common words, because compile treats
// these words as uncommon.
func (g *Grammar) concepts(names string) (*part, error) {
	p, ok := g.parts[names]
	if ok && g.frequency != nil {
		return p, nil
	}
	p, err := g.part(names)
	if err == nil && g.parts != nil && g.frequency != nil {
		g.parts[names] = p
	}
	return p, err
}

func (g *Grammar) part(names string) (*part, error) {
	p := new(part)
	var literals []string
	for name := range strings.SplitSeq(names, "|") {
		if strings.HasPrefix(name, "'") {
			literals = append(literals, name)
			continue
		}
		if group, ok := g.groups[name]; ok {
			m, err := g.concepts(group)
			if err != nil {
				return p, err
			}
			p.set.union(&m.set)
			p.literals = append(p.literals, m.literals...)
			p.members = append(p.members, m.members...)
			p.words = append(p.words, m.words...)
			continue
		}
		c, ok := g.lex.concepts[name]
		if !ok {
			return p, fmt.Errorf("unknown concept %q", name)
		}
		p.set.add(c)
		p.members = append(p.members, c)
	}
	if ids := g.common(literals); len(ids) > 0 {
		p.words = append(p.words, ids...)
	} else if len(literals) > 0 {
		c := g.lex.literal(strings.Join(literals, "|"))
		p.set.add(c)
		p.literals = append(p.literals, c)
		p.members = append(p.members, c)
	}
	return p, nil
}

// common returns the numbers of the given literals if every literal is a single word and at least
// one literal is very common. Otherwise, it returns nil.
func (g *Grammar) common(literals []string) []uint32 {
	var ids []uint32
	common := false
	for _, l := range literals {
		w := strings.Trim(l, "'")
		if !simple(w) && strings.ContainsAny(w, "_~^") {
			return nil
		}
		before := len(ids)
		if ids = g.lex.appendIDs(ids, w); len(ids) != before+1 {
			return nil
		}
		common = common || g.frequency[w] >= weightCommon
	}
	if !common {
		return nil
	}
	return ids
}

// weight returns an estimate of how often st matches, in an arbitrary unit.
func (g *Grammar) weight(st *step) int {
	sum := len(st.words) * weightFirst
	for _, c := range st.members {
		sum += g.weights[c]
	}
	return sum
}

// contains reports whether p contains the concept c.
func (p *part) contains(c uint16) bool {
	if c >= maxNamed {
		return slices.Contains(p.literals, c)
	}
	return p.set.has(c)
}
