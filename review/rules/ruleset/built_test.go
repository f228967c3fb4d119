package ruleset

import (
	"strings"

	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// built returns the examples that are too large or too special for a data file.
func built(id string) (bad, good rulestest.Example) {
	described := func(n int) rulestest.Example {
		d := rulestest.Action("get_invoices")
		d.Definition.Tool.Description = sentencesOf(n)
		return rulestest.Example{Draft: d}
	}
	prompted := func(n int) rulestest.Example {
		d := rulestest.Sample()
		d.Definition.Tool.Prompt = sentencesOf(n)
		return rulestest.Example{Draft: d}
	}
	accepts := func(n int) rulestest.Example {
		return rulestest.Example{Draft: rulestest.Accepting("get_invoices", `{"properties":{"id":{"description":"`+sentencesOf(n)+`","type":"string"}},"type":"object"}`)}
	}
	switch id {
	case "B101":
		return described(3_000), described(1_000)
	case "B102":
		return prompted(20_000), prompted(8_000)
	case "B103":
		return accepts(20_000), accepts(4_000)
	case "B201":
		return costing(7_000, false), costing(4_300, false)
	case "B202":
		return costing(4_000_000, true), costing(4_300, false)
	case "O105":
		rejected := rules.Twin{Name: "#4 (tool:user/pace_checker)", Tool: rulestest.Renamed("pace_checker").Definition.Tool, Rejected: true, Reason: "The editors do this by hand."}
		return rulestest.Example{Draft: rulestest.Sample(), Twins: []rules.Twin{rejected}}, rulestest.Example{}
	}
	return rulestest.Example{}, rulestest.Example{}
}

// costing returns a change that changes the size of a prompt of 4,000 tokens.
func costing(after int, cut bool) rulestest.Example {
	agent := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: "assistant"}
	return rulestest.Example{Draft: rulestest.Sample(), Prompts: []rules.PromptCost{{Agent: agent, Channel: prompt.Web, Before: 4_000, After: after, Cut: cut}}}
}

// sentencesOf returns a text of n characters.
func sentencesOf(n int) string {
	const one = "Returns the invoices of the current customer. "
	return strings.Repeat(one, n/len(one)+1)[:n]
}
