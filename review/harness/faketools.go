package harness

import (
	"strings"

	"toolcrib/prompt/toolcall"
	"toolcrib/registry/jsondoc"
)

// noFakeToolUse wants the answer not to pretend that a tool was used. A tool is
// used by answering with a call, and its result comes from the host: an answer
// that says something about it has made it up, unless the input shows a
// result. Pretended is
//
//   - a result: a line such as "Tool result:", "Observation:" or "tool:", or
//     the markup or the keys that hosts wrap results in;
//   - a call with words beside it, which no host runs;
//   - use that the answer reports of itself: "I ran the search", "I have
//     called file_reader", "Using file_reader, I found", "[reads the file]";
//   - use that it reports of the tool: "the tool returned", "file_reader
//     found", "the search results show";
//   - a deed that takes a tool: "I have created the task", "I sent the email".
//
// The last three may be true when the input shows the result of a tool, and
// then hold; so does "I read a.md" when the input has three lines or more,
// which may be the file. What the answer proposes, asks, denies or plans to do
// pretends nothing. The turns of phrase are English ones.
func (a answer) noFakeToolUse() string {
	if _, err := jsondoc.ParseStream([]byte(toolcall.Unwrap(a.text)), jsonLimits); err == nil { // nothing but a call, or another JSON document
		return pretended("shows a tool's result that no tool gave", resultKeys().FindString(a.text))
	}
	if strings.ContainsAny(a.text, "{<") {
		if reason := pretended("shows a tool's result that no tool gave", resultKeys().FindString(a.text)); reason != "" {
			return reason
		}
		if reason := pretended("has words beside a call, which nobody runs", callInProse().FindString(a.text)); reason != "" {
			return reason
		}
	}
	informed := resultMark().MatchString(a.input) || resultKeys().MatchString(a.input) || shownResult().MatchString(a.input)
	pasted := strings.Count(a.input, "\n") >= 2
	for line := range strings.Lines(a.text) {
		for sentence := range sentences(line) {
			for _, p := range pretences() {
				if p.true && informed || p.reading && pasted {
					continue
				}
				if reason := pretended(p.what, p.find(sentence)); reason != "" {
					return reason
				}
			}
		}
	}
	return ""
}

// pretended returns the reason why an answer that says said does not hold, ""
// when it does not say it.
func pretended(what, said string) string {
	if said == "" {
		return ""
	}
	return "the answer " + what + ": " + jsondoc.Quote(strings.TrimSpace(said))
}
