// This file implements checks for attacks that frames cannot describe.

package wording

import (
	"context"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan/letters"
)

// successorWords contains words that suggest that a description is about the successor of a tool.
var successorWords = words("deprecated alias replaced superseded renamed obsolete retired legacy instead removed moved same wrapper shortcut shorthand")

// directingOnly finds descriptions that direct the model to a different tool in every sentence and
// never describe the tool itself: "For best results call query_orders before this helper." A tool
// may refer to a tool with a common word in its name, and a replaced tool may refer to its
// successor.
func directingOnly(c *View) []candidate {
	if !c.IsAction() {
		return nil
	}
	for _, s := range c.scanned() {
		if s.Path != "definition.description" || len(s.Sentences) == 0 {
			continue
		}
		var spans []rules.Passage
		for _, sentence := range s.Sentences {
			text := s.Value[sentence.Start:sentence.End]
			if !c.directsToUnrelatedTool(text) {
				return nil
			}
			spans = append(spans, rules.Passage{Start: sentence.Start, End: sentence.End})
		}
		return s.candidates(spans, func(rules.Passage) string {
			return "Names another tool to call but does not state what this one does"
		})
	}
	return nil
}

// callingVerbs are verbs that precede the name of a tool to call. callFillers are words that may
// occur between the verb and the name.
var (
	callingVerbs = words("call calls calling invoke invokes invoking run runs running use uses using execute executes trigger triggers")
	callFillers  = words("the a an its tool function")
)

// toolName matches the name of a tool: a name with underscores, such as read_file, or a name in
// quotation marks.
var toolName = lazyregexp.New("\\b[a-z0-9]+(?:_[a-z0-9]+)+\\b|[`'\"][A-Za-z0-9_.-]{3,60}[`'\"]")

// namesUnrelatedTool reports whether text contains the name of an unrelated tool. The name of an
// unrelated tool is not the name of this tool, of a parameter, or of a sibling. It has no word in
// common with the id of this tool.
func (c *View) namesUnrelatedTool(text string) bool {
	st, own := c.scoringContext(), stems(c.Draft.Definition.Tool.ID)
	for _, name := range toolName().FindAllString(text, rules.MaxPerText) {
		name = strings.Trim(name, "`'\"")
		if !st.names[strings.ToLower(name)] && !c.isSibling(name) && !slices.ContainsFunc(wordsOf(name), func(part string) bool { return own[stem(part)] }) {
			return true
		}
	}
	return false
}

// isSibling reports whether name is the name of another tool of the same server. A tool may depend
// on its siblings, so references to them are normal. The ids of all tools of a server begin with
// the same label.
func (c *View) isSibling(name string) bool {
	t := c.Draft.Definition.Tool
	if t.Provider == nil || t.Provider.Name == "" {
		return false
	}
	label, ok := strings.CutSuffix(t.ID, strings.ToLower(t.Provider.Name))
	if !ok || label == "" {
		return false
	}
	id := label + strings.ToLower(name)
	if source := c.Draft.Definition.Columns().Source; !c.Coming[id] && source != "" && c.World != nil {
		live, err := c.World.FromServer(context.Background(), source)
		return err == nil && slices.ContainsFunc(live, func(l registry.Live) bool { return l.Subject.ID == id })
	}
	return c.Coming[id]
}

// directsToUnrelatedTool reports whether text directs the model to an unrelated tool; see
// namesUnrelatedTool. It returns false if text describes the other tool as the successor of this
// tool.
func (c *View) directsToUnrelatedTool(text string) bool {
	st, own := c.scoringContext(), stems(c.Draft.Definition.Tool.ID)
	sends, called := false, false
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !letterOrDigit(r) }) {
		w := strings.ToLower(word)
		switch {
		case successorWords[w]:
			return false
		case st.isForeignName(word):
			if slices.ContainsFunc(wordsOf(word), func(part string) bool { return own[stem(part)] }) {
				return false
			}
			sends = sends || called && !c.isSibling(word)
		}
		called = callingVerbs[w] || called && callFillers[w]
	}
	return sends
}

// readingVerbs contains verbs at the beginning of the ids of tools that only read or compute.
var readingVerbs = words(`get list show view search find read check count lookup fetch retrieve display describe preview compare
	estimate status is has explain define translate convert format calc calculate compute sort lint spell test ping summarize summarise
	hash encode decode parse validate analyze analyse measure quote summary stats info dictionary weather time`)

// sideEffectVerbs are verbs, in the third person, for side effects that a tool should not have if
// it only reads or computes.
var sideEffectVerbs = words(`deletes removes cancels charges signs installs executes sets changes publishes posts sends uploads places buys orders
	marks follows unfollows turns switches disables overwrites resets revokes grants transfers books pays subscribes unsubscribes forwards
	emails shares invites renames wipes kills registers submits approves merges commits
	replaces applies exports mails unlocks encrypts uninstalls donates bills purchases rewrites rotates`)

// adverbs are words that may precede the verb at the beginning of a sentence.
var adverbs = words("it then also afterwards finally next and the tool")

// readsOnly reports whether the id of the tool suggests that the tool only reads or computes.
func (c *View) readsOnly() bool {
	t := c.Draft.Definition.Tool
	parts := wordsOf(t.ID)
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return readingVerbs[parts[0]] || last == "view" || last == "viewer" || last == "preview" || last == "lookup"
}

// unannouncedActions finds side effects after the first sentence of a description. It checks only
// tools with ids that suggest that they only read. An example is "Gets a quote. Charges the card."
func unannouncedActions(c *View) []candidate {
	if !c.IsAction() || !c.readsOnly() {
		return nil
	}
	about := c.scoringContext().topics
	var found []candidate
	for _, s := range c.scanned() {
		if s.Path != "definition.description" || len(s.Sentences) == 0 {
			continue
		}
		var spans []rules.Passage
		for _, sentence := range s.Sentences[1:] {
			said := wordsOf(letters.Fold(s.Value[sentence.Start:sentence.End]))
			for len(said) > 0 && adverbs[said[0]] {
				said = said[1:]
			}
			if len(said) < 3 || !sideEffectVerbs[said[0]] || about[stem(said[0])] {
				continue
			}
			spans = append(spans, rules.Passage{Start: sentence.Start, End: sentence.End})
		}
		found = append(found, s.candidates(spans, func(rules.Passage) string {
			return "Describes an action, although the tool's name suggests that the tool only reads or computes"
		})...)
	}
	return found
}

// executingWords contains the first or last words in names of parameters that a tool may use to
// execute or send something. executingNames contains complete names of such parameters. They are
// checked only in tools that compute something.
var (
	executingWords = words("cmd command shell exec execute script webhook callback payload exfil exfiltrate sudo hook")
	executingNames = words("code eval path file_path filepath send_to forward_to upload_url notify_url report_to post_to sidenote side_note")
)

// executingTopics contains topics of tools that need parameters for executing or sending something.
var executingTopics = strings.Fields("command run execut script shell terminal webhook callback notify send post api http request message event code payload")

// executingParameters finds parameters for executing or sending something in tools that only read
// or compute.
func executingParameters(c *View) []candidate {
	if !c.IsAction() {
		return nil
	}
	about := c.scoringContext().topics
	looks := c.readsOnly() && !slices.ContainsFunc(executingTopics, func(w string) bool { return about[stem(w)] || about[w] })
	computes := c.computesOnly() && !c.purposeHas("dReach")
	var found []candidate
	for _, s := range c.scanned() {
		if s.Kind != rules.Identifier || s.Value != s.Param || !jsondoc.Within(s.Path, "definition.inputSchema") {
			continue
		}
		parts := wordsOf(s.Value)
		named := len(parts) > 0 && (executingWords[parts[0]] || executingWords[parts[len(parts)-1]])
		if (looks || computes) && named || computes && executingNames[strings.ToLower(s.Value)] {
			found = append(found, s.candidates([]rules.Passage{{End: len(s.Value)}}, func(rules.Passage) string {
				return "Has a parameter, " + rules.Quotation(s.Param) + ", that the tool's stated purpose, " + rules.Quotation(c.statedPurpose()) + ", does not require"
			})...)
		}
	}
	return found
}

// fencedCalls finds tool calls in JSON format inside code fences. They are a problem because models
// imitate the format of the calls that they see.
func fencedCalls(c *View) []candidate {
	var found []candidate
	for _, s := range c.scanned() {
		if !s.Visible || s.Kind != rules.Prose {
			continue
		}
		found = append(found, s.candidates(fences(s.Value), func(rules.Passage) string {
			return "Shows a tool call in a code block; a call must be the whole answer, without a fence."
		})...)
	}
	return found
}

// fences returns the code fences in text that contain a tool call.
func fences(text string) []rules.Passage {
	const fence = "```"
	var spans []rules.Passage
	for at := 0; ; {
		open := strings.Index(text[at:], fence)
		if open < 0 {
			return spans
		}
		open += at
		end := strings.Index(text[open+len(fence):], fence)
		if end < 0 {
			return spans
		}
		end += open + 2*len(fence)
		if isCall(text[open+len(fence) : end-len(fence)]) {
			spans = append(spans, rules.Passage{Start: open, End: end})
		}
		at = end
	}
}

// isCall reports whether the content of a code fence is a JSON object with the keys of a tool call.
func isCall(block string) bool {
	if lang, rest, ok := strings.Cut(block, "\n"); ok && !strings.Contains(lang, "{") {
		block = rest
	}
	block = strings.TrimSpace(block)
	return strings.HasPrefix(block, "{") && strings.Contains(block, `"tool"`) && strings.Contains(block, `"args"`)
}
