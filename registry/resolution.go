package registry

import (
	"fmt"
	"strings"
)

// Reason explains why a tool is in or out.
type Reason string

// The reasons for which a tool is in, the first that holds being given.
const (
	InListed    Reason = "listed"
	InNonLocal  Reason = "added when not local"
	InEmbedding Reason = "added when embedding works"
	InCategory  Reason = "category"
	InKind      Reason = "every tool of the kind"
)

// The reasons for which a tool is out, the first that holds being given.
const (
	OutUnknown        Reason = "not in the registry"
	OutDeactivated    Reason = "deactivated"
	OutExcluded       Reason = "excluded in local"
	OutTier           Reason = "tier filtered"
	OutOnlyNonLocal   Reason = "added only when not local"
	OutOnlyEmbedding  Reason = "added only when embedding works"
	OutLocalOnly      Reason = "local only"
	OutNonLocalOnly   Reason = "not offered in local"
	OutNeedsEmbedding Reason = "needs embedding"
	OutDeferred       Reason = "deferred"
)

// Choice is the decision about one tool that an allow-list names.
type Choice struct {
	Name   string // the tool's id; as listed when the registry lacks it
	Entry  Entry  // zero when the registry lacks it
	In     bool
	Reason Reason
	Detail string // the category of InCategory and OutTier, the kind of InKind, "" otherwise
}

// Why returns the reason with its detail: "category web".
func (c Choice) Why() string {
	if c.Detail == "" {
		return string(c.Reason)
	}
	return string(c.Reason) + " " + c.Detail
}

// Resolution is which tools an agent has in a context, and why.
type Resolution struct {
	Choices  []Choice // core tools first, then by name
	Warnings []string // listed names that the registry lacks
	More     bool     // more tools of a kind than Context.MostOfKind are the agent's
}

// Tools returns the tools that are in, core first, then by id.
func (r Resolution) Tools() []Entry {
	var tools []Entry
	for _, c := range r.Choices {
		if c.In {
			tools = append(tools, c.Entry)
		}
	}
	return tools
}

// Deferred returns how many tools are out because they wait to be discovered.
func (r Resolution) Deferred() int {
	n := 0
	for _, c := range r.Choices {
		if !c.In && c.Reason == OutDeferred {
			n++
		}
	}
	return n
}

// summary explains in a few words why nothing is left.
func (r Resolution) summary() string {
	if len(r.Choices) == 0 {
		return "the allow-list names none"
	}
	counts := map[Reason]int{}
	var order []Reason
	for _, c := range r.Choices {
		if counts[c.Reason]++; counts[c.Reason] == 1 {
			order = append(order, c.Reason)
		}
	}
	parts := make([]string, len(order))
	for i, reason := range order {
		parts[i] = fmt.Sprintf("%d %s", counts[reason], reason)
	}
	return strings.Join(parts, ", ")
}
