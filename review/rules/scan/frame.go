package scan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Frame describes a turn of phrase as a pattern of concepts in one sentence.
//
// A pattern is a list of steps, separated by spaces:
//
//	read            a word or phrase of the concept "read"
//	read|open       of either concept; a name given to Compile as a group
//	                stands for all its members
//	read/b          in the base form; /s third person, /d past, /g -ing
//	'if_so'         the word or phrase itself, "_" for a space; also inflected
//	tag+marker      of the first concept, in a word or phrase that has a word of
//	                the second too
//	^read           where an imperative can stand: at the start of a clause or
//	                after a word of the concept "lead"
//	..4             up to four words may stand before the next step (else none)
//	!neg            no word of the concept anywhere in the sentence
//	!<3neg          none within three words before the first step
//	!>3neg          none within three words after the last step
//	&secret         a word of the concept somewhere in the sentence
//	~12             as the first step: the steps may come in any order, all
//	                within 12 words
type Frame struct {
	Name    string
	Pattern string
}

// step is one place of a pattern that a word has to fill.
type step struct {
	*part
	with       []*part // concepts that the same words have to stand for as well
	forms      form
	gap        int32 // words that may stand before it
	imperative bool
}

// part holds the concepts of a step or a guard.
type part struct {
	set      Set
	literals []uint16 // those of set that do not have a bit of their own
	members  []uint16 // all of them
	// words are numbers of words that are too common to be noted wherever they
	// stand; they are looked for where they are asked for.
	words []uint32
}

// guard is a concept that has to stand, or must not, near a match.
type guard struct {
	*part
	within int32 // words; 0 is anywhere in the sentence
	after  bool  // counted from the end of the match
	absent bool
}

// frame is a compiled pattern.
type frame struct {
	steps  []step
	guards []guard
	any    int32 // steps in any order within so many words; 0: in order
	anchor int   // the step whose concepts are rarest
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
		// All its words are common: note them all the same.
		frequency := g.frequency
		g.frequency = nil
		defer func() { g.frequency = frequency }()
		return g.compile(f)
	}
	return out, nil
}

// maxSteps is how many steps a pattern can have.
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
				return st, fmt.Errorf("no form %q", r)
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

// concepts returns what names joined by "|" stand for. Many steps have the same ones and
// share the part, but frames of common words alone, which read them another way.
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
			return p, fmt.Errorf("no concept %q", name)
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

// common returns the numbers of the given literal words, all single, if one of
// them is very common.
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

// weight is how many words and phrases can fill st.
func (g *Grammar) weight(st *step) int {
	sum := len(st.words) * weightFirst
	for _, c := range st.members {
		sum += g.weights[c]
	}
	return sum
}

// stands reports whether concept c is one of p.
func (p *part) stands(c uint16) bool {
	if c >= maxNamed {
		return slices.Contains(p.literals, c)
	}
	return p.set.has(c)
}
