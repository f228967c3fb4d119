package intake

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// examples shows how a tool is called: with the least and with everything.
func examples(t registry.Tool) []string {
	if t.Kind == registry.PromptTool {
		return []string{
			fmt.Sprintf("Use %s on the %s at hand.", t.WireName(), scopeWord(t.Scope)),
			fmt.Sprintf("%s: look once more at what changed since.", t.Name),
		}
	}
	least, ok := arguments(t.InputSchema, false)
	if !ok {
		return []string{
			"Call " + t.WireName() + " with arguments that fit its schema; none could be generated.",
			"Find out what " + t.WireName() + " needs before calling it.",
		}
	}
	most, ok := arguments(t.InputSchema, true)
	first, second := call(t.WireName(), least), call(t.WireName(), most)
	if !ok || first == second || tooLong(second) {
		second = "Call " + t.WireName() + " once more, to see whether the answer is still the same."
	}
	if tooLong(first) {
		first = "Call " + t.WireName() + " with arguments that fit its schema; the least that it takes is too long to be shown here."
	}
	return []string{first, second}
}

func tooLong(s string) bool { return utf8.RuneCountInString(s) > proposals.MaxExample }

func scopeWord(s registry.Scope) string {
	if s == "" {
		return "text"
	}
	return string(s)
}

// call writes a call in the strict form.
func call(id string, args *jsondoc.Node) string {
	return string(jsondoc.Canonical(jsondoc.NewObject(
		jsondoc.Member{Key: "args", Value: args},
		jsondoc.Member{Key: "nonce", Value: jsondoc.NewString("n-1")},
		jsondoc.Member{Key: "tool", Value: jsondoc.NewString(id)},
	)))
}

// testCases returns the test cases that fit any tool of a kind: a call has the strict
// form and names this tool; telling of a call instead of making it is caught.
func testCases(t registry.Tool) []proposals.TestCase {
	if t.Kind == registry.PromptTool {
		return answerCases("Use " + t.WireName() + " on a text that is not there.")
	}
	args, ok := arguments(t.InputSchema, false)
	if !ok {
		args = jsondoc.NewObject()
	}
	made, told := call(t.WireName(), args), "I have called "+t.WireName()+", and everything went well."
	return []proposals.TestCase{
		{
			Name: "a call has the strict form", Input: "Call " + t.WireName() + ".", Expect: proposals.ExpectPass, Output: &made,
			Checks: []proposals.Check{
				{Type: proposals.CheckToolCall},
				{Type: proposals.CheckContains, Value: []byte(strconv.Quote(`"tool":"` + t.WireName() + `"`))},
			},
		},
		{
			Name: "telling of a call is no call", Input: "Call " + t.WireName() + ".", Expect: proposals.ExpectFail, Output: &told,
			Checks: []proposals.Check{{Type: proposals.CheckToolCall}},
		},
	}
}

// answerCases are for definitions that are not callable: an answer that claims
// nothing passes, one that claims a finding without a receipt fails.
func answerCases(input string) []proposals.TestCase {
	modest, claims := "There is nothing to look at, so there is nothing to report.", "The text has three mistakes in its second paragraph."
	return []proposals.TestCase{
		{
			Name: "nothing is made up", Input: input, Expect: proposals.ExpectPass, Output: &modest,
			Checks: []proposals.Check{{Type: proposals.CheckNoFakeToolUse}},
		},
		{
			Name: "a claim without a receipt is caught", Input: input, Expect: proposals.ExpectFail, Output: &claims,
			Checks: []proposals.Check{{Type: proposals.CheckEvidence}},
		},
	}
}

// holderExamples are examples of an agent, or of a user of an allow-list.
func holderExamples(id string) []string {
	return []string{"Open a session with " + id + " as a new user.", "Ask " + id + " what it can do."}
}

func agentTestCases() []proposals.TestCase {
	return answerCases("What is wrong with the text that was never handed over?")
}
