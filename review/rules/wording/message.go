// This file converts scored candidates into findings.

package wording

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"toolcrib/internal/lists"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
	"toolcrib/review/rules/scan/disguise"
)

// reported is a candidate with the passage that its finding quotes. If the sentence of the
// candidate was encoded, decoded is the decoded sentence.
type reported struct {
	*candidate
	span    rules.Passage
	decoded string
}

// report converts scored candidates into findings, indexed by rule. A finding covers a whole
// sentence, so the candidates of a rule in the same sentence become a single finding.
func (c *View) report(candidates []candidate, list []Sentence, sentenceOf []int) map[string][]rules.Finding {
	type place struct {
		rule string
		text *rules.Text
	}
	var order []place
	groups := map[place][]reported{}
	byRule := map[string][]rules.Finding{}
	for n := range candidates {
		f := &candidates[n]
		if f.text == nil {
			byRule[f.Rule] = append(byRule[f.Rule], f.Finding)
			continue
		}
		at := place{f.Rule, f.text}
		if groups[at] == nil {
			order = append(order, at)
		}
		r := reported{candidate: f, span: f.passage}
		if sentenceOf[n] >= 0 {
			// The passage of a finding is the encoded text. The message contains the decoded
			// sentence.
			if s := &list[sentenceOf[n]]; s.at.Disguise.Decoded() {
				r.decoded = s.Text
			} else {
				r.span = s.text.wholeSentence(r.passage)
			}
		}
		groups[at] = append(groups[at], r)
	}
	for _, at := range order {
		byRule[at.rule] = append(byRule[at.rule], findings(at.text, groups[at])...)
	}
	return byRule
}

// findings converts the candidates of a rule in the given text into findings, and merges candidates
// with overlapping passages.
func findings(text *rules.Text, group []reported) []rules.Finding {
	slices.SortStableFunc(group, func(a, b reported) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(b.span.End, a.span.End))
	})
	merged, more := group[:0], 0
	for _, r := range group {
		more += r.dropped
		last := len(merged) - 1
		if last < 0 || r.span.Start >= merged[last].span.End {
			merged = append(merged, r)
			continue
		}
		span := merged[last].span
		span.End, span.Disguise = max(span.End, r.span.End), span.Disguise|r.span.Disguise
		added := cmp.Or(merged[last].Added, r.Added)
		if r.Severity.Rank() > merged[last].Severity.Rank() {
			merged[last] = r
		}
		merged[last].span, merged[last].Added = span, added
	}
	spans := lists.Map(merged, func(r reported) rules.Passage { return r.span })
	made := text.Findings(spans, func(rules.Passage) string { return "" })
	for i := range made {
		f, r := &made[i], merged[i]
		more := f.Message // the number of omitted findings, or ""
		f.Severity, f.Added, f.Message = r.Severity, r.Added, messageWith(r.Message, cmp.Or(r.decoded, f.Passage), r.span.Disguise)+more
	}
	if more > 0 {
		made[len(made)-1].More(more)
	}
	return made
}

// messageWith returns a message that consists of the deed, the disguise if any, and the quoted
// passage. It omits the passage if the deed already contains it in quotation marks.
func messageWith(deed, passage string, how disguise.Disguise) string {
	if how != 0 {
		deed += ", in disguise (" + disguised(how) + ")"
	}
	quoted := rules.Quotation(passage)
	if strings.Contains(deed, quoted) {
		return deed + "."
	}
	return rules.Quoting(deed, passage)
}

// wholeSentence extends the passage p to whole sentences or, in a program, to whole lines. It
// returns the whole text if the text has no sentences. It shortens a very long result.
func (s *Scanned) wholeSentence(p rules.Passage) rules.Passage {
	span := rules.Passage{Start: 0, End: len(s.Value), Disguise: p.Disguise}
	if s.Kind == rules.Prose || s.Kind == rules.Note || s.Kind == rules.Report {
		span.Start, span.End = p.Start, p.End
		first, _ := slices.BinarySearchFunc(s.Sentences, p.Start, func(x scan.Sentence, start int) int { return cmp.Compare(x.End, start+1) })
		for _, x := range s.Sentences[first:] {
			if x.Start >= p.End {
				break
			}
			span.Start, span.End = min(span.Start, x.Start), max(span.End, x.End)
		}
		behind := s.Value[span.End:]
		span.End += len(behind) - len(strings.TrimLeft(behind, ".!?…。！？:)]}\"'`*_”’»"))
		span = listItem(s.Value, span, p)
	}
	if s.Kind == rules.Program { // extend to whole lines
		span.Start = strings.LastIndexByte(s.Value[:p.Start], '\n') + 1
		if n := strings.IndexByte(s.Value[p.End:], '\n'); n >= 0 {
			span.End = p.End + n
		}
	}
	span = shorten(s.Value, span, p)
	text := s.Value[span.Start:span.End] // trim white space
	span.Start += len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	span.End -= len(text) - len(strings.TrimRightFunc(text, unicode.IsSpace))
	return span
}

// listItem narrows span to the list items, table rows, or headings that contain match. The scanner
// does not end a sentence at such a boundary, but people read each item, row, and heading
// separately.
func listItem(value string, span, match rules.Passage) rules.Passage {
	for line := span.Start; line < span.End; {
		if startsItem(value[line:]) {
			if line <= match.Start {
				span.Start = line
			} else if line >= match.End {
				span.End = line
				break
			}
		}
		next := strings.IndexByte(value[line:span.End], '\n')
		if next < 0 {
			break
		}
		line += next + 1
	}
	return span
}

// startsItem reports whether line begins a list item, a table row, a heading, or a block quote.
func startsItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	digits := strings.TrimLeft(line, "0123456789")
	marked := slices.ContainsFunc([]string{"- ", "* ", "+ ", "• ", "#", "|", ">"}, func(mark string) bool { return strings.HasPrefix(line, mark) })
	return marked || len(digits) < len(line) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// maxSentence is the maximum length in bytes of a sentence that a finding quotes in full. A longer
// sentence is cut to the text around the match.
const maxSentence = 480

// shorten shortens span to about maxSentence bytes around match. It cuts at spaces.
func shorten(value string, span, match rules.Passage) rules.Passage {
	if span.End-span.Start <= maxSentence {
		return span
	}
	around := max(0, maxSentence-(match.End-match.Start)) / 2
	if start := match.Start - around; start > span.Start {
		if space := strings.IndexFunc(value[start:match.Start], unicode.IsSpace); space >= 0 {
			span.Start = start + space
		} else {
			span.Start = match.Start
		}
	}
	if end := match.End + around; end < span.End {
		if space := strings.LastIndexFunc(value[match.End:end], unicode.IsSpace); space >= 0 {
			span.End = match.End + space
		} else {
			span.End = match.End
		}
	}
	return span
}
