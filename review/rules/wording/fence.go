package wording

import (
	"strings"

	"toolcrib/review/rules"
)

// fencedCalls finds calls in the JSON form that stand in a code fence: a model
// writes calls as it sees them written.
func fencedCalls(c *View) []candidate {
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if !s.Visible || s.Kind != rules.Prose {
			continue
		}
		found = append(found, s.candidates(fences(s.Value), func(rules.Passage) string {
			return "Shows a tool call in a code block; a call is the whole answer, without a fence."
		})...)
	}
	return found
}

// fences returns the code fences in text that hold a tool call.
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

// isCall reports whether block, after the name of its language, is an object
// with the keys of a call.
func isCall(block string) bool {
	if lang, rest, ok := strings.Cut(block, "\n"); ok && !strings.Contains(lang, "{") {
		block = rest
	}
	block = strings.TrimSpace(block)
	return strings.HasPrefix(block, "{") && strings.Contains(block, `"tool"`) && strings.Contains(block, `"args"`)
}
