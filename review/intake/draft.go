// This file drafts the proposals of an import, with a rationale, examples, and test cases.

package intake

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// generated is part of each rationale. It informs the reviewer that the examples and the test cases have not been run.
const generated = "The examples and test cases were generated from the definition: they show the form of a call, and none has been run."

// draft returns a draft with a generated rationale, generated examples, and generated test cases.
func (o Origin) draft(kind proposals.Type, s registry.Subject, base int, d registry.Definition, rationale string) *proposals.Draft {
	draft := &proposals.Draft{
		Type: kind, Subject: s, BaseVersion: &base, Definition: d, Rationale: rationale + " " + generated, ChangeSet: o.Set,
		Examples:  []string{"Open a session with " + s.ID + " as a new user.", "Ask " + s.ID + " what it can do."},
		TestCases: answerCases("What is wrong with the text that was never handed over?"),
	}
	if d.Tool != nil {
		draft.Examples, draft.TestCases = generatedTests(*d.Tool)
	}
	return draft
}

// addition returns a draft that adds the definition d of s. If live, the live version of s, is not trusted, the draft
// replaces it.
func (o Origin) addition(live registry.Live, s registry.Subject, d registry.Definition, rationale string) *proposals.Draft {
	if live.Refused != nil && live.Subject == s {
		return o.draft(proposals.Modify, s, live.Version, d, rationale)
	}
	return o.draft(proposals.New, s, 0, d, rationale)
}

// GeneratedTests reports whether the examples and the test cases of d are exactly as an import generates them for the
// tool of d.
func GeneratedTests(d proposals.Draft) bool {
	if d.Definition.Tool == nil {
		return false
	}
	examples, cases := generatedTests(*d.Definition.Tool)
	return slices.Equal(d.Examples, examples) && reflect.DeepEqual(d.TestCases, cases)
}

// Generated reports whether an import of tools or files wrote the whole draft. This is the case if the rationale, the
// examples, and the test cases are exactly as an import generates them. base is the base definition of d, or nil for a
// new subject.
func Generated(d proposals.Draft, base *registry.Definition) bool {
	if f := d.Definition.Folder(); f != nil {
		return generatedFile(d, *f)
	}
	t := d.Definition.Tool
	if t == nil || t.Source == nil || !GeneratedTests(d) {
		return false
	}
	label, _, _ := strings.Cut(t.Source.Ref, "#")
	p, it := planner{origin: Origin{Label: label}, format: wire.MCP}, wire.Item{Name: t.OriginName()}
	for _, f := range []wire.Format{wire.OpenAI, wire.Anthropic, wire.V0} {
		if f.SourceType() == t.Source.Type {
			p.format = f
		}
	}
	switch {
	case d.Rationale == p.additionReason(it)+" "+generated:
		return d.Type == proposals.New || d.Type == proposals.Modify
	case d.Type == proposals.Modify && base != nil && base.Tool != nil:
		return d.Rationale == p.modificationReason(it, *base.Tool, *t)+" "+generated
	case d.Type == proposals.Deactivate:
		return d.Rationale == p.removalReason(it.Name)+" "+generated
	}
	return false
}

func (p *planner) removalReason(name string) string {
	return fmt.Sprintf("%s does not list %s any more.", sentenceCase(p.place()), jsondoc.Quote(name))
}

// place returns a description of the document's origin for rationales.
func (p *planner) place() string {
	if p.format == wire.MCP {
		return "the MCP server " + p.origin.Label
	}
	return "the list " + p.origin.Label + " (" + string(p.format) + ")"
}

func (p *planner) additionReason(it wire.Item) string {
	why := fmt.Sprintf("Imported from %s, where it is called %s.", p.place(), jsondoc.Quote(it.Name))
	if p.format != wire.MCP {
		return why + " It requires approval for each call unless you change its tier."
	}
	return why + " Its description and its hints are the server's claims."
}

func (p *planner) modificationReason(it wire.Item, before, after registry.Tool) string {
	changed := Differing(before, after)
	if len(changed) == 1 && changed[0] == "source" {
		return fmt.Sprintf("%s has changed %s since its approval, in keys that toolcrib does not read; models see no difference.", sentenceCase(p.place()), jsondoc.Quote(it.Name))
	}
	note := ""
	if i := slices.Index(changed, "approval"); i >= 0 {
		changed = slices.Delete(changed, i, i+1)
		note = " The tool no longer states that it is read-only, so by default its calls require approval again."
	}
	return fmt.Sprintf("%s defines %s differently from the live version, in: %s.%s", sentenceCase(p.place()), jsondoc.Quote(it.Name), strings.Join(changed, ", "), note)
}

func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Differing returns the keys that have different values in oldTool and newTool.
func Differing(oldTool, newTool registry.Tool) []string {
	a, b := oldTool.Values(), newTool.Values()
	keys := slices.Clone(registry.Definition{Tool: &newTool}.Keys())
	return slices.DeleteFunc(keys, func(key string) bool { return a[key] == b[key] })
}

// uncategorised is the category of imported tools. No shipped allow-list includes it.
const uncategorised = "other"

// Origin describes the server or the file that provided a document.
type Origin struct {
	// Label is the name of the server or of the file. If Server is true, the ids of the tools contain Label. Tools of
	// two servers can then have the same name.
	Label  string
	Server bool
	Layer  registry.Layer // layer for new definitions
	Set    string         // change set for the proposals, or ""
}

// Definition returns the tool that an import creates for a new item. Lint and the evaluation of the rules also use it
// to convert documents of other programs.
func (o Origin) Definition(item wire.Item) registry.Tool {
	t := item.ApplyTo(registry.Tool{Approval: &registry.Approval{Tier: registry.RequiresApproval}})
	switch item.Format {
	case wire.MCP:
		t.Approval = importedApproval(t.Annotations)
	case wire.MCPText:
		t.Approval = nil // not callable
	case wire.OpenAI, wire.Anthropic, wire.V0, wire.Toolcrib, wire.Names:
	}
	t.ID, t.Source = registry.ImportedID(o.server(), item.Name), o.source(item)
	if t.Kind == registry.ActionTool {
		t.Category = uncategorised
	}
	if item.Format == wire.MCP && o.Server {
		t.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: o.Label, Name: item.Name}
	}
	return t
}

// importedApproval returns the approval of an imported MCP tool with the annotations a. The user can change the tier at
// any time. By default, a tool needs no approval for a call if its annotations state that it is read-only.
func importedApproval(a *registry.Annotations) *registry.Approval {
	tier := registry.RequiresApproval
	if reads(a) {
		tier = registry.AutoApprove
	}
	return &registry.Approval{Tier: registry.UserConfigurable, Default: tier}
}

// reads reports whether the annotations state, without contradiction, that a tool is read-only.
func reads(a *registry.Annotations) bool {
	return a != nil && a.ReadOnly != nil && *a.ReadOnly && (a.Destructive == nil || !*a.Destructive)
}

// source returns the source of a definition that is imported from item. It returns nil if the item is from a list of
// names.
func (o Origin) source(item wire.Item) *registry.Source {
	if item.Format == wire.Names {
		return nil
	}
	return &registry.Source{Type: item.Format.SourceType(), Ref: o.ref(item.Name), Hash: item.Hash()}
}

// ref returns the reference to the item with the given name, for a registry.Source.
func (o Origin) ref(name string) string { return o.Label + "#" + name }

// server returns the name of the server that becomes part of ids, or "" if the origin is not a server.
func (o Origin) server() string {
	if o.Server {
		return o.Label
	}
	return ""
}

// Assign drafts a change that adds the tools with the given ids to holder, which is an allow-list or an agent. An agent
// gets the tools by name, in its definition. It omits tools that holder already has. It returns false if no tools
// remain.
func Assign(holder registry.Live, ids []string) (proposals.Draft, bool) {
	var listed []string
	d := holder.Definition
	switch {
	case d.List != nil:
		listed = d.List.Tools
	case d.Agent != nil && d.Agent.AllowList != nil:
		listed = d.Agent.AllowList.Tools
	}
	more := slices.DeleteFunc(distinct(ids), func(id string) bool { return slices.Contains(listed, id) })
	if len(more) == 0 {
		return proposals.Draft{}, false
	}
	tools := slices.Concat(listed, more)
	if d.List != nil {
		l := *d.List
		l.Tools = tools
		d = registry.Definition{List: &l}
	} else {
		a, list := *d.Agent, registry.AllowList{}
		if a.AllowList != nil {
			list = *a.AllowList
		}
		list.Tools = tools
		a.AllowList = &list
		d = registry.Definition{Agent: &a}
	}
	why := fmt.Sprintf("Give %s access to %s.", holder.Subject.ID, lists.First(more, 20)) // the definition itself lists all tools
	return *Origin{}.draft(proposals.Modify, holder.Subject, holder.Version, d, why), true
}

// Excluding drafts a change of the imported tool l after the user has edited its exclusions.
func Excluding(l registry.Live) proposals.Draft {
	why := fmt.Sprintf("The user changes which parts of %s its server may change without a new approval.", l.Subject.ID)
	return *Origin{}.draft(proposals.Modify, l.Subject, l.Version, l.Definition, why)
}

// generatedTests returns the examples and the test cases that an import generates for t. The examples of a callable
// tool are two calls, one with only the required arguments and one with all arguments.
func generatedTests(t registry.Tool) ([]string, []proposals.TestCase) {
	switch t.Kind {
	case registry.PromptTool:
		return []string{
			fmt.Sprintf("Use %s on the %s at hand.", t.WireName(), cmp.Or(t.Scope, "text")),
			fmt.Sprintf("%s: look again at what has changed since then.", t.Name),
		}, answerCases("Use " + t.WireName() + " on a text that is not there.")
	case registry.ServerText:
		return []string{
			fmt.Sprintf("A client of %s reads %s when it connects or its user asks for it.", t.Server(), t.OriginName()),
			fmt.Sprintf("A client of %s reads %s again after the server has changed it.", t.Server(), t.OriginName()),
		}, answerCases("Read " + t.OriginName() + " of " + t.Server() + ". What is wrong with the text that was never handed over?")
	case registry.ActionTool:
	}
	least, most := arguments(t.InputSchema)
	args := jsondoc.NewObject()
	examples := []string{
		"Call " + t.WireName() + " with arguments that fit its schema; none could be generated.",
		"Find out what " + t.WireName() + " needs before calling it.",
	}
	if least.ok {
		args = least.value
		first, second := call(t.WireName(), least.value), call(t.WireName(), most.value)
		if !most.ok || first == second || tooLong(second) {
			second = "Call " + t.WireName() + " again to see whether the answer is the same."
		}
		if tooLong(first) {
			first = "Call " + t.WireName() + " with arguments that fit its schema; the shortest call is too long to show here."
		}
		examples = []string{first, second}
	}
	made, claim := call(t.WireName(), args), "I have called "+t.WireName()+", and everything went well."
	return examples, []proposals.TestCase{ // a call must have the strict format and must name the tool
		{
			Name: "a call has the required format", Input: "Call " + t.WireName() + ".", Expect: proposals.ExpectPass, Output: &made,
			Checks: []proposals.Check{
				{Type: proposals.CheckToolCall},
				{Type: proposals.CheckContains, Value: []byte(strconv.Quote(`"tool":"` + t.WireName() + `"`))},
			},
		},
		{
			Name: "a claim to have called the tool is not a call", Input: "Call " + t.WireName() + ".", Expect: proposals.ExpectFail, Output: &claim,
			Checks: []proposals.Check{{Type: proposals.CheckToolCall}},
		},
	}
}

func tooLong(s string) bool { return utf8.RuneCountInString(s) > proposals.MaxExample }

// call returns a call of the tool with the given id, in the strict format.
func call(id string, args *jsondoc.Node) string {
	return string(jsondoc.Canonical(jsondoc.NewObject(
		jsondoc.Member{Key: "args", Value: args},
		jsondoc.Member{Key: "nonce", Value: jsondoc.NewString("n-1")},
		jsondoc.Member{Key: "tool", Value: jsondoc.NewString(id)},
	)))
}

// answerCases returns the test cases for a definition that cannot be called. An answer without claims must pass, and a
// claim without a receipt must fail.
func answerCases(input string) []proposals.TestCase {
	modest, claims := "There is nothing to look at, so there is nothing to report.", "The text has three mistakes in its second paragraph."
	return []proposals.TestCase{
		{
			Name: "the answer makes nothing up", Input: input, Expect: proposals.ExpectPass, Output: &modest,
			Checks: []proposals.Check{{Type: proposals.CheckNoFakeToolUse}},
		},
		{
			Name: "a claim without a receipt is caught", Input: input, Expect: proposals.ExpectFail, Output: &claims,
			Checks: []proposals.Check{{Type: proposals.CheckEvidence}},
		},
	}
}
