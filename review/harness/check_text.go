package harness

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"toolcrib/internal/commonmark"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// contains requires value in the answer, exactly.
func (a answer) contains(value string) (string, error) {
	switch {
	case value == "":
		return "", errors.New("the text to look for is empty")
	case strings.Contains(a.text, value):
		return "", nil
	}
	return "the answer does not contain " + jsondoc.Quote(value), nil
}

// notContains requires that value is not in the answer: neither exactly, nor with
// invisible characters in between, nor in the compatibility forms of its
// characters.
func (a answer) notContains(value string) (string, error) {
	switch {
	case value == "":
		return "", errors.New("the text to look for is empty")
	case strings.Contains(a.text, value):
		return "the answer contains " + jsondoc.Quote(value), nil
	}
	if plainValue := plain(value); plainValue != "" && strings.Contains(plain(a.text), plainValue) {
		return "the answer contains " + jsondoc.Quote(value) + " in disguise", nil
	}
	return "", nil
}

// plain returns s in normalization form KC (UAX #15), without what most
// terminals draw as nothing.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && visible.Hidden(r) {
			return -1
		}
		return r
	}, s)
	return norm.NFKC.String(s)
}

// matches wants the regular expression value (RE2 syntax) to match somewhere
// in the answer. Go's engine takes a step for each instruction and byte at
// most.
func (a answer) matches(value string) (string, error) {
	if n := utf8.RuneCountInString(value); n == 0 || n > proposals.MaxPattern {
		return "", fmt.Errorf("the regular expression has %d characters; 1 to %d are expected", n, proposals.MaxPattern)
	}
	parsed, err := syntax.Parse(value, syntax.Perl)
	if err != nil {
		return "", errors.New("not a regular expression in RE2 syntax")
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return "", errors.New("not a regular expression in RE2 syntax")
	}
	if err := a.work.spend(len(program.Inst) * len(a.text)); err != nil {
		return "", err
	}
	re, err := regexp.Compile(value)
	if err != nil {
		return "", errors.New("not a regular expression in RE2 syntax")
	}
	if re.MatchString(a.text) {
		return "", nil
	}
	return "the answer does not match " + jsondoc.Quote(value), nil
}

// maxChars wants at most limit characters (code points).
func (a answer) maxChars(limit int) (string, error) {
	if limit < 1 {
		return "", fmt.Errorf("the limit is %d; at least 1 is expected", limit)
	}
	if n := utf8.RuneCountInString(a.text); n > limit {
		return fmt.Sprintf("the answer has %d characters, more than %d", n, limit), nil
	}
	return "", nil
}

// noFences wants no line that begins or ends a code fence, in lists and quotes
// neither.
func (a answer) noFences() string {
	number := 0
	for line := range strings.Lines(a.text) {
		number++
		if commonmark.Fence(unmarked(line)) != "" {
			return fmt.Sprintf("line %d is a code fence", number)
		}
	}
	return ""
}

// unmarked returns a line without what marks it as part of a list or a quote.
func unmarked(line string) string {
	for {
		line = strings.TrimSpace(line)
		rest := strings.TrimPrefix(line, ">")
		if marker := listMarker(rest); marker != "" {
			rest = rest[len(marker):]
		}
		if rest == line {
			return line
		}
		line = rest
	}
}
