package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"toolcrib/internal/commonmark"
	"toolcrib/internal/visible"
	"toolcrib/prompt/toolcall"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// answer is an answer to be checked.
type answer struct {
	text  string
	input string // question
	work  *work  // remaining work, or nil for no limit
}

// check returns the reason why a fails the check, or "" if it passes. err is the reason why the check cannot be
// evaluated.
func (a answer) check(c proposals.Check) (reason string, err error) {
	steps := len(a.text) // regular expressions have a separate limit
	switch c.Type {      //nolint:exhaustive // the others read an answer once
	case proposals.CheckEvidence, proposals.CheckNoFakeToolUse:
		steps = 128 * (len(a.text) + len(a.input))
	case proposals.CheckJSONSchema, proposals.CheckJSONOnly, proposals.CheckToolCall, proposals.CheckNotContains:
		steps = 8 * len(a.text)
	}
	if err := a.work.spend(steps); err != nil {
		return "", err
	}
	switch c.Type {
	case proposals.CheckJSONOnly:
		// A single JSON value (RFC 8259), so that a program can parse the answer.
		if _, err := jsondoc.Parse([]byte(a.text), jsonLimits); err != nil {
			return "the answer is not exactly one JSON value: " + first(err), nil
		}
		return "", nil
	case proposals.CheckNoFences:
		return a.noFences(), nil
	case proposals.CheckToolCall:
		if _, err := toolcall.Parse(a.text); err != nil {
			return err.Error(), nil //nolint:nilerr // it is the result
		}
		return "", nil
	case proposals.CheckEvidence:
		return a.evidence(), nil
	case proposals.CheckNoFakeToolUse:
		return a.noFakeToolUse(), nil
	case proposals.CheckJSONSchema:
		return a.jsonSchema(c.Value)
	case proposals.CheckMaxChars:
		return with(c.Value, func(limit int) (string, error) {
			if limit < 1 {
				return "", fmt.Errorf("the limit is %d; at least 1 is expected", limit)
			}
			if n := utf8.RuneCountInString(a.text); n > limit { // in code points
				return fmt.Sprintf("the answer has %d characters, more than %d", n, limit), nil
			}
			return "", nil
		})
	case proposals.CheckContains:
		return with(c.Value, func(value string) (string, error) { return a.contains(value, true) })
	case proposals.CheckNotContains:
		return with(c.Value, func(value string) (string, error) { return a.contains(value, false) })
	case proposals.CheckMatches:
		return with(c.Value, a.matches)
	}
	return "", errors.New("unknown check")
}

// with decodes the value of a check and calls check with it.
func with[T string | int](value json.RawMessage, check func(T) (string, error)) (string, error) {
	var v T
	n, err := jsondoc.Parse(value, jsondoc.DefaultLimits)
	if err != nil {
		return "", errors.New("its value is missing or not JSON")
	}
	if ps := jsondoc.Bind(n, jsondoc.Root, &v); len(ps) > 0 {
		return "", fmt.Errorf("its value has the wrong type: %s", ps[0].Message)
	}
	return check(v)
}

// jsonLimits limits the JSON in an answer.
var jsonLimits = jsondoc.Limits{Bytes: MaxAnswer, Depth: 64}

// jsonSchema requires that the answer is a JSON value that matches schema. It ignores one code fence around the value;
// json_only and no_fences check for that.
func (a answer) jsonSchema(schema json.RawMessage) (string, error) {
	if len(schema) == 0 {
		return "", errors.New("its value, the schema, is missing")
	}
	s, err := schemaguard.Compile(schema)
	if err != nil {
		return "", fmt.Errorf("the schema is refused: %s", first(err))
	}
	n, err := jsondoc.Parse([]byte(toolcall.Unwrap(a.text)), jsonLimits)
	if err != nil {
		return "the answer is not valid JSON: " + first(err), nil
	}
	if err := s.Validate(n); err != nil {
		return "the answer does not fit the schema: " + first(err), nil
	}
	return "", nil
}

// first returns the first problem in err and the number of others.
func first(err error) string {
	ps, ok := errors.AsType[jsondoc.Problems](err)
	if !ok || len(ps) == 0 {
		return jsondoc.Printable(err.Error())
	}
	if len(ps) > 1 {
		return fmt.Sprintf("%s (and %d more)", ps[0], len(ps)-1)
	}
	return ps[0].String()
}

// contains requires that the answer contains value exactly or, if wanted is false, that it does not contain value in
// any form: exactly, with invisible characters in between, or with compatibility forms of its characters.
func (a answer) contains(value string, wanted bool) (string, error) {
	found, hidden := strings.Contains(a.text, value), plain(value)
	switch {
	case value == "":
		return "", errors.New("the text to look for is empty")
	case wanted && !found:
		return "the answer does not contain " + jsondoc.Quote(value), nil
	case wanted:
		return "", nil
	case found:
		return "the answer contains " + jsondoc.Quote(value), nil
	case hidden != "" && strings.Contains(plain(a.text), hidden):
		return "the answer contains " + jsondoc.Quote(value) + " in disguise", nil
	}
	return "", nil
}

// plain returns s in normalization form NFKC (UAX #15), without the characters that most terminals do not display.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && visible.Hidden(r) {
			return -1
		}
		return r
	}, s)
	return norm.NFKC.String(s)
}

// matches requires that the regular expression value (RE2 syntax) matches a part of the answer. Go's engine takes at
// most one step for each instruction and byte.
func (a answer) matches(value string) (string, error) {
	if n := utf8.RuneCountInString(value); n == 0 || n > proposals.MaxPattern {
		return "", fmt.Errorf("the regular expression has %d characters; 1 to %d are expected", n, proposals.MaxPattern)
	}
	re, err := regexp.Compile(value)
	if err != nil {
		return "", errors.New("not a regular expression in RE2 syntax")
	}
	parsed, _ := syntax.Parse(value, syntax.Perl) // cannot fail after regexp.Compile
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return "", errors.New("not a regular expression in RE2 syntax")
	}
	if err := a.work.spend(len(program.Inst) * len(a.text)); err != nil {
		return "", err
	}
	if re.MatchString(a.text) {
		return "", nil
	}
	return "the answer does not match " + jsondoc.Quote(value), nil
}

// noFences requires that no line starts or ends a code fence, including lines in lists and quotes.
func (a answer) noFences() string {
	number := 0
	for line := range strings.Lines(a.text) {
		number++
		for rest := line; ; line = rest { // remove the markers of lists and quotes
			line = strings.TrimSpace(line)
			rest = strings.TrimPrefix(line, ">")
			if rest = rest[len(listMarker(rest)):]; rest == line {
				break
			}
		}
		if commonmark.Fence(line) != "" {
			return fmt.Sprintf("line %d is a code fence", number)
		}
	}
	return ""
}

// Outcome is the outcome of a test case.
type Outcome string

// Outcomes. A case that is expected to fail has the outcome Passed if a check failed.
const (
	Passed Outcome = "passed"
	Failed Outcome = "failed"
	NotRun Outcome = "not_run"
)

// Result is the outcome of a test case with its reason.
type Result struct {
	Name    string           `json:"name"`
	Expect  proposals.Expect `json:"expect,omitempty"`
	Outcome Outcome          `json:"outcome"`
	// Reason is one sentence without characters that a terminal obeys.
	Reason string `json:"reason"`
	// Live reports that the answer is a model's, given just now.
	Live bool `json:"live,omitempty"`
	// Answer is the beginning of the model's answer, or "" for a recorded answer, which the proposal contains. It is
	// untrusted.
	Answer string        `json:"answer,omitempty"`
	Checks []CheckResult `json:"checks,omitempty"`
}

// CheckResult is the result of one check.
type CheckResult struct {
	Type  proposals.CheckType `json:"type"`
	Holds bool                `json:"holds"`
	// Reason is why the answer fails, or why the check could not be evaluated; ""
	// if it passes.
	Reason string `json:"reason,omitempty"`
}
