package harness

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pretence describes a type of sentence that pretends the use of a tool.
type pretence struct {
	what    string
	true    bool // may be true if the input contains a result
	reading bool // about reading a file whose text the input may contain
	// cues are substrings, in lower case. A matching sentence contains at least one of them. Searching for them is much
	// cheaper than matching the pattern.
	cues    []string
	pattern *regexp.Regexp
}

// find returns the part of a sentence that pretends the use of a tool, or "". If a group of the pattern matches, the
// sentence does not: "if I called …".
func (p pretence) find(sentence string) string {
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
	// toolName matches an id of at least two words, because a single word could be anything.
	toolName = "`?[a-z][a-z0-9]*(?:_[a-z0-9]+)+`?"
	// host matches names of systems that run tools.
	host = `(?:tool|function|api|command|query|search|script|database)`
	// access matches objects that require a tool to see.
	access = `(?:(?:the|your|its|all|this|that|these|those|every|each)\s)?(?:[a-z]+\s){0,2}?` +
		`(?:web|internet|database|codebase|repository|repo|project\sfiles|issue\stracker|tracker|inbox|mailbox|calendar|memories|file\ssystem|logs?|terminal)\b`
	// path matches a file name with an extension.
	path = "`?" + `(?:(?:[\w.-]*/)+[\w-]+|[\w-]{2,})\.[a-z]{1,8}\b`
	// resources matches the objects that the assistant's tools create, modify, and delete.
	resources = `(?:tasks?|to-?dos?|reminders?|schedules?|appointments?|meetings?|e-?mails?|tickets?|memories|calendar\s(?:events?|entry|entries))\b`
	// unless matches words that make a report conditional.
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

// pretences compiles the patterns on first use.
var pretences = sync.OnceValue(compilePretences)

func compilePretences() []pretence {
	compile := func(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }
	return []pretence{
		{what: "shows a made-up tool result", cues: markCues, pattern: compile(marks)},
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
		{what: "reports an alleged answer of a tool", true: true, cues: []string{"the ", "my ", "_", "search results"}, pattern: compile(
			unless + `(?:\b(?:the|my)\s(?:[a-z]+\s){0,2}?` + host + `(?:\scall|\sresults?|\soutput)?|` + toolName + `|\bsearch\sresults)` +
				`\s(?:has\s|have\s|just\s)?(?:returned|reported|reports|responded|found|finds|shows?|showed|says|said|confirmed|confirms|came\sback|gave)\b`)},
		{what: "reports an action that requires a tool", true: true, cues: selfCues, pattern: compile(
			unless + self + `(?:created|added|updated|changed|deleted|removed|scheduled|rescheduled|set|set\sup|saved|stored|sent|booked|cancell?ed|completed|closed|assigned|moved)\s` +
				`(?:(?:the|a|an|your|my|this|that|these|those|all|both|two|three|of|\d+)\s){0,5}(?:[\w'-]+\s){0,2}?` + resources)},
	}
}

// callInProse matches a call in the JSON protocol and in the formats of other hosts.
var callInProse = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\{\s*"(?:tool|function|function_call|tool_calls?|tool_name)"\s*:\s*["{\[]` +
		`|\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|args|input|parameters)"\s*:` +
		`|<(?:tool_call|function_call|tool_use|invoke|function)[\s=>]`)
})

// resultMark matches the markers of tool results in transcripts of other models.
var resultMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)` + marks) })

// resultKeys matches the keys in which hosts wrap results.
var resultKeys = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:tool_results?|tool_response|tool_output|function_response|tool_call_id|tool_use_id)"\s*:|"role"\s*:\s*"(?:tool|function)"`)
})

// shownResult matches other signs of a tool's result.
var shownResult = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)"(?:result|results|success|output|status|data|items)"\s*:|\b(?:results?|output|returned|response|answered)\b[^:=\n]{0,60}[:=]\s*\S|\bcall_[A-Za-z0-9]{4,}`)
})
