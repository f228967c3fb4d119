// This file runs the checks of a test case and defines their results. It also defines the patterns of false claims.

package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"toolcrib/internal/commonmark"
	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/visible"
	"toolcrib/prompt/toolcall"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// answer is an answer to a test case, with the data that the checks need.
type answer struct {
	text  string
	input string // input of the test case
	work  *work  // remaining work, or nil for no limit
}

// check applies c to the answer. It returns "" if the answer passes, or the reason why the answer fails. If c cannot be
// evaluated, check returns an error.
func (a answer) check(c proposals.Check) (reason string, err error) {
	steps := len(a.text) // regular expressions have a separate limit
	switch c.Type {      //nolint:exhaustive // the other checks take one step for each byte
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
		// The answer must be a single JSON value (RFC 8259), because a program parses it.
		if _, err := jsondoc.Parse([]byte(a.text), jsonLimits); err != nil {
			return "the answer is not exactly one JSON value: " + first(err), nil
		}
		return "", nil
	case proposals.CheckNoFences:
		return a.noFences(), nil
	case proposals.CheckToolCall:
		if _, err := toolcall.Parse(a.text); err != nil {
			return err.Error(), nil //nolint:nilerr // the error is the result of the check
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
				return "", fmt.Errorf("expected a limit of at least 1 (got %d)", limit)
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

// with decodes the value of a check, and calls the given function with the result.
func with[T string | int](value json.RawMessage, check func(T) (string, error)) (string, error) {
	var v T
	n, err := jsondoc.Parse(value, jsondoc.DefaultLimits)
	if err != nil {
		return "", errors.New("the value of the check is missing or not JSON")
	}
	if ps := jsondoc.Bind(n, jsondoc.Root, &v); len(ps) > 0 {
		return "", fmt.Errorf("the value of the check has the wrong type: %s", ps[0].Message)
	}
	return check(v)
}

// jsonLimits limits the JSON in an answer.
var jsonLimits = jsondoc.Limits{Bytes: MaxAnswer, Depth: 64}

// jsonSchema checks that the answer is a JSON value that matches schema. It ignores a code fence around the value,
// because the checks json_only and no_fences report code fences.
func (a answer) jsonSchema(schema json.RawMessage) (string, error) {
	if len(schema) == 0 {
		return "", errors.New("the value of the check is missing; expected a schema")
	}
	s, err := schemaguard.Compile(schema)
	if err != nil {
		return "", fmt.Errorf("the schema is rejected: %s", first(err))
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

// first describes the first problem in err and the number of further problems.
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

// contains searches the answer for value. If present is true, the answer must contain value. If present is false, the
// answer must not contain value in any form: unchanged, with invisible characters inserted, or with compatibility forms
// of its characters.
func (a answer) contains(value string, present bool) (string, error) {
	found, hidden := strings.Contains(a.text, value), plain(value)
	switch {
	case value == "":
		return "", errors.New("the text to look for is empty")
	case present && !found:
		return "the answer does not contain " + jsondoc.Quote(value), nil
	case present:
		return "", nil
	case found:
		return "the answer contains " + jsondoc.Quote(value), nil
	case hidden != "" && strings.Contains(plain(a.text), hidden):
		return "the answer contains " + jsondoc.Quote(value) + " in a disguised form", nil
	}
	return "", nil
}

// plain returns s in normalization form NFKC (UAX #15). It removes characters that most terminals do not display.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && visible.Hidden(r) {
			return -1
		}
		return r
	}, s)
	return norm.NFKC.String(s)
}

// matches checks that the regular expression value (RE2 syntax) matches a part of the answer. Go's regular expression
// engine executes at most one step for each instruction and byte.
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

// noFences checks that no line begins or ends a code fence, not even in a list or a quote.
func (a answer) noFences() string {
	number := 0
	for line := range strings.Lines(a.text) {
		number++
		for rest := line; ; line = rest { // remove the markers of lists and quotes before the text
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

// All outcomes. A test case that is expected to fail has the outcome Passed if one of its checks failed.
const (
	Passed Outcome = "passed"
	Failed Outcome = "failed"
	NotRun Outcome = "not_run"
)

// Result is the result of running a test case.
type Result struct {
	Name    string           `json:"name"`
	Expect  proposals.Expect `json:"expect,omitempty"`
	Outcome Outcome          `json:"outcome"`
	// Reason is a sentence. It contains no control characters.
	Reason string `json:"reason"`
	// Live indicates that a model gave the answer during this run.
	Live bool `json:"live,omitempty"`
	// Answer is the beginning of an answer by the model, and untrusted. It is "" for a recorded answer, which the
	// proposal contains.
	Answer string        `json:"answer,omitempty"`
	Checks []CheckResult `json:"checks,omitempty"`
}

// CheckResult is the result of one check.
type CheckResult struct {
	Type  proposals.CheckType `json:"type"`
	Holds bool                `json:"holds"`
	// Reason is the reason why the answer fails the check, or why the check cannot be evaluated. It is "" if the answer
	// passes.
	Reason string `json:"reason,omitempty"`
}

// falseClaim describes a kind of sentence that falsely claims the use of a tool.
type falseClaim struct {
	what    string
	true    bool // the claim can be true if the input contains the result of a tool
	reading bool // the claim is about reading a file, and the input may contain the text of the file
	// cues are lower-case substrings. Each matching sentence contains at least one cue. Searching for cues is much
	// faster than matching the pattern.
	cues    []string
	pattern *regexp.Regexp
}

// find returns the part of sentence that claims the use of a tool, or "" if there is none. A match of the pattern is
// not a claim if a group of the pattern also matches, as in "if I called …".
func (p falseClaim) find(sentence string) string {
	lower := strings.ToLower(sentence)
	if !slices.ContainsFunc(p.cues, func(cue string) bool { return strings.Contains(lower, cue) }) {
		return ""
	}
	for _, m := range p.pattern.FindAllStringSubmatchIndex(sentence, -1) {
		if slices.Max(append(m[2:], -1)) < 0 {
			return sentence[m[0]:m[1]]
		}
	}
	return ""
}

const (
	// toolName matches an id of at least two words. Ids of a single word could be any word of the text.
	toolName = "`?[a-z][a-z0-9]*(?:_[a-z0-9]+)+`?"
	// host matches words for systems that run tools.
	host = `(?:tool|function|api|command|query|search|script|database)`
	// access matches objects that the model can only see with a tool.
	access = `(?:(?:the|your|its|all|this|that|these|those|every|each)\s)?(?:[a-z]+\s){0,2}?` +
		`(?:web|internet|database|codebase|repository|repo|project\sfiles|issue\stracker|tracker|inbox|mailbox|calendar|memories|file\ssystem|logs?|terminal)\b`
	// path matches a file name with an extension.
	path = "`?" + `(?:(?:[\w.-]*/)+[\w-]+|[\w-]{2,})\.[a-z]{1,8}\b`
	// resources matches objects that the tools of an assistant create, modify, and delete.
	resources = `(?:tasks?|to-?dos?|reminders?|schedules?|appointments?|meetings?|e-?mails?|tickets?|memories|calendar\s(?:events?|entry|entries))\b`
	// unless matches words that make a statement conditional.
	unless = `(?:\b((?:if|unless|until|before|once|when|whenever|had|should|could|would)\s(?:\w+\s)?))?`
	self   = `\b(?:i|we)(?:['’]ve|\shave)?\s(?:(?:just|now|already|also|then|first|successfully|quickly)\s){0,2}`
	looked = `(?:opened|read|searched|scanned|fetched|retrieved|checked|browsed|looked\s(?:up|at|in|into|through)|gone\sthrough|went\sthrough)\s`
	marks  = `^[\s>*_#\[(-]{0,12}(?:(?:tool|function|api|search|command|database|query|execution)[ _-]?(?:call[ _-]?)?(?:results?|outputs?|responses?|returned)\b[^:\n]{0,60}:` +
		`|(?:observation|tool|ipython)\s?(?:\[\d+\])?\**:)` +
		`|</?(?:tool|function)[_-]?(?:results?|responses?|outputs?|returns?)\b` +
		`|<\|(?:tool|ipython|python_tag|tool_response)`
)

var (
	selfCues = []string{"i ", "i'", "i’", "we ", "we'", "we’"}
	markCues = []string{"result", "output", "response", "return", "tool", "observation", "ipython", "python_tag"}
)

// falseClaims returns all kinds of false claims. It compiles the patterns on first use.
var falseClaims = sync.OnceValue(compileFalseClaims)

func compileFalseClaims() []falseClaim {
	compile := func(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }
	return []falseClaim{
		{what: "contains an invented tool result", cues: markCues, pattern: compile(marks)},
		{what: "reports the use of a tool", true: true, cues: selfCues, pattern: compile(
			unless + self + `(?:called|invoked|executed|ran|run|triggered|queried|used)\s(?:(?:the|a|an|your|my|this|that)\s)?` +
				`((?:words?|terms?)\s)?(?:` + toolName + `|(?:[a-z]+\s){0,2}?` + host + `s?\b)`)},
		{what: "reports information that only a tool can provide", true: true, cues: selfCues, pattern: compile(
			unless + self + looked + `(?:through\s)?(?:` + access + `|` + toolName + `)`)},
		{what: "reports information that only a tool can provide", true: true, reading: true, cues: selfCues, pattern: compile(
			unless + self + looked + `(?:the\sfile\s)?` + path)},
		{what: "reports the use of a tool", true: true, cues: []string{"using ", "via ", "through ", "with ", "from "}, pattern: compile(
			`\b(?:using|via|through|with|from)\s(?:the\s)?` + toolName + `[^.!?\n]{0,40}\bi\s(?:can\ssee|found|saw|see|got|read)\b`)},
		{what: "pretends to use a tool", true: true, cues: []string{"]", "*", ")"}, pattern: compile(
			`[\[*(](?:calls|calling|runs|running|opens|opening|reads|reading|searches|searching|uses|using|invokes|invoking|executes|executing|fetches|fetching)` +
				`\s[^\])*\n]{1,80}[\])*]`)},
		{what: "reports an invented answer of a tool", true: true, cues: []string{"the ", "my ", "_", "search results"}, pattern: compile(
			unless + `(?:\b(?:the|my)\s(?:[a-z]+\s){0,2}?` + host + `(?:\scall|\sresults?|\soutput)?|` + toolName + `|\bsearch\sresults)` +
				`\s(?:has\s|have\s|just\s)?(?:returned|reported|reports|responded|found|finds|shows?|showed|says|said|confirmed|confirms|came\sback|gave)\b`)},
		{what: "reports an action that requires a tool", true: true, cues: selfCues, pattern: compile(
			unless + self + `(?:created|added|updated|changed|deleted|removed|scheduled|rescheduled|set|set\sup|saved|stored|sent|booked|cancell?ed|completed|closed|assigned|moved)\s` +
				`(?:(?:the|a|an|your|my|this|that|these|those|all|both|two|three|of|\d+)\s){0,5}(?:[\w'-]+\s){0,2}?` + resources)},
	}
}

// callInProse matches the beginning of a tool call in the JSON protocol of toolcrib and in the formats of other
// programs.
var callInProse = lazyregexp.New(`(?i)\{\s*"(?:tool|function|function_call|tool_calls?|tool_name)"\s*:\s*["{\[]` +
	`|\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|args|input|parameters)"\s*:` +
	`|<(?:tool_call|function_call|tool_use|invoke|function)[\s=>]`)

// resultMark matches the lines that introduce tool results in transcripts.
var resultMark = lazyregexp.New(`(?im)` + marks)

// resultKeys matches the JSON keys that programs use to mark tool results.
var resultKeys = lazyregexp.New(`"(?:tool_results?|tool_response|tool_output|function_response|tool_call_id|tool_use_id)"\s*:|"role"\s*:\s*"(?:tool|function)"`)

// shownResult matches other signs that a text contains the result of a tool.
var shownResult = lazyregexp.New(`(?im)"(?:result|results|success|output|status|data|items)"\s*:|\b(?:results?|output|returned|response|answered)\b[^:=\n]{0,60}[:=]\s*\S|\bcall_[A-Za-z0-9]{4,}`)
