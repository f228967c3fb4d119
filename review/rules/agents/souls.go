// Package agents implements the A family: rules about the soul, the template, and the allow-lists
// of an agent, and about retired names.
package agents

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// Rules returns the A family.
func Rules() []rules.Rule {
	return []rules.Rule{
		agentRule("A101", checkSoulHeading),
		agentRule("A102", checkSoulTool),
		agentRule("A103", checkSoulInstruction),
		agentRule("A104", checkUnknownPlaceholder),
		agentRule("A105", checkMissingPlaceholder),
		agentRule("A106", checkBracePlaceholder),
		rules.Of("A107", checkRetiredMention),
		{ID: "A108", Check: checkAllowList},
		agentRule("A109", checkUnknownList),
		{ID: "A110", Check: checkNoTools},
	}
}

// agentRule returns a rule that checks active agents.
func agentRule(id string, check func(ctx context.Context, c *rules.Change, a registry.Agent) ([]rules.Finding, error)) rules.Rule {
	return rules.Rule{ID: id, Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
		a := c.Draft.Definition.Agent
		if a == nil || a.Status == registry.Deactivated {
			return nil, nil
		}
		return check(ctx, c, *a)
	}}
}

// textFindings returns a finding for each element of found. These passages belong to a text of an
// agent: path is the path of the text, and value is its content. The message of a finding is the
// result of calling message with the text of the passage.
func textFindings(path, value string, found []rules.Passage, message func(string) string) []rules.Finding {
	t := rules.Text{Path: path, Value: value}
	return t.Findings(found, func(p rules.Passage) string { return message(value[p.Start:p.End]) })
}

const soulPath, templatePath = "definition.soul", "definition.promptTemplate"

// heading matches an ATX heading, or a setext heading with its underline (CommonMark 0.31, sections
// 4.2 and 4.3).
var heading = lazyregexp.New(`(?m)^ {0,3}#{1,6}(?:[ \t].*)?$|^ {0,3}[^\s#>*+\-].*\n {0,3}(?:=+|-{2,})[ \t]*$`)

func checkSoulHeading(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	return textFindings(soulPath, a.Soul, firstMatches(heading(), a.Soul, rules.MaxPerText), func(string) string { return "The soul has a heading." }), nil
}

// firstMatches returns up to limit matches of re in s. If limit is -1, it returns all matches.
func firstMatches(re *regexp.Regexp, s string, limit int) []rules.Passage {
	return lists.Map(re.FindAllStringIndex(s, limit), func(at []int) rules.Passage { return rules.Passage{Start: at[0], End: at[1]} })
}

// idWords yields the ranges of the words in s. A word consists of ASCII letters, digits, and "_".
func idWords(s string) iter.Seq[rules.Passage] {
	return func(yield func(rules.Passage) bool) {
		for i := 0; i < len(s); i++ {
			start := i
			for i < len(s) && idBytes[s[i]] {
				i++
			}
			if i > start && !yield(rules.Passage{Start: start, End: i}) {
				return
			}
		}
	}
}

// idBytes contains the characters of ids, in lower and upper case.
var idBytes = func() (t [256]bool) {
	for c := range t {
		t[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
	}
	return t
}()

// maxLookups limits the number of registry lookups for the names in a text or a list.
const maxLookups = 500

func checkSoulTool(ctx context.Context, c *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	var found []rules.Passage
	known := map[string]bool{}
	for p := range idWords(a.Soul) {
		word := a.Soul[p.Start:p.End]
		if !strings.Contains(word, "_") || !registry.ValidID(word) {
			continue
		}
		is, asked := known[word]
		if !asked && len(known) < maxLookups {
			var err error
			if is, err = isTool(ctx, c, word); err != nil {
				return nil, err
			}
			known[word] = is
		}
		if is {
			found = append(found, p)
		}
	}
	return textFindings(soulPath, a.Soul, found, func(name string) string { return fmt.Sprintf("The soul mentions the tool %s.", name) }), nil
}

// isTool reports whether name is the current or a former name of a tool.
func isTool(ctx context.Context, c *rules.Change, name string) (bool, error) {
	list, _ := shipped.List(shipped.AssistantID)
	if _, retired := shipped.Retired(name); retired || shipped.IsCore(name) || slices.Contains(list.Tools, name) {
		return true, nil
	}
	live, err := c.World.ByName(ctx, name)
	return len(live) > 0, err
}

// These expressions match verbs and objects of actions on the data that an agent stores for the
// user.
const (
	recordingActs = `(?:mark|create|update|save|log|add|record|store|schedule|check|search|look up|set|delete|remove|complete|review|scan|read|call|use)`
	storedItems   = `(?:tasks?|to-?dos?|memories|memory|reminders?|schedules?|calendar|notes|inbox|tools?|instructions)`
)

// instruction matches operational instructions, which belong in an operating model and not in a
// soul. Examples are tool calls, output formats, length limits, numbered steps, schedules, and
// fixed answers.
var instruction = lazyregexp.New(strings.Join([]string{
	`(?m:^ {0,3}\d{1,3}[.)] +\S.*$)`,
	"```|`[^`\n]+`",
	`(?i:\b(?:call|invoke|execute|run|use)\s+(?:(?:the|a|an|your|any)\s+(?:\w+\s+)?)?(?:tool|function|command|api|endpoint|script)s?\b)`,
	`(?i:\b(?:respond|reply|answer|output|return|write)\s+(?:only\s+|exactly\s+|always\s+)?(?:with|in|as)\s+(?:valid\s+|a\s+)?(?:json|yaml|xml|markdown|html|csv|table)\b)`,
	`(?i:\b(?:at most|no more than|under|within|up to|maximum of)\s+\d+\s+(?:words|characters|sentences|tokens|lines|bullet points|seconds|minutes)\b)`,
	`(?i:\bstep\s+\d+\b)`,
	`(?i:\bevery\s+\d+\s+(?:seconds|minutes|hours|days)\b)`,
	`\b(?:HEARTBEAT_OK|WAKEUP_SILENT)\b`,
	// A trigger and an action: "When the user says …, mark it complete."
	`(?i:\b(?:when|whenever|once|if|as soon as)\b[^.!?\n]{1,100},\s*(?:always\s+|then\s+|also\s+)?` + recordingActs + `\b[^.!?\n]{1,80})`,
	// An action on stored data: "Check tasks …", "Always start with a search of your memories."
	`(?im:(?:^|[.!?]\s+)(?:always\s+|first,?\s+|before [^.!?,\n]{1,40},\s*)?` + recordingActs + `\s+(?:of\s+)?(?:your\s+|the\s+|all\s+|their\s+|open\s+)*` + storedItems + `\b)`,
	`(?i:\b(?:always|first)\b[^.!?\n]{0,30}\b(?:search|check|look-?up|query|review)\b[^.!?\n]{0,30}\b` + storedItems + `\b)`,
}, "|"))

func checkSoulInstruction(_ context.Context, _ *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	return textFindings(soulPath, a.Soul, firstMatches(instruction(), a.Soul, rules.MaxPerText), func(string) string { return "The soul contains an operational instruction." }), nil
}
