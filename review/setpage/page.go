// Package setpage lays out a change set of tools imported from MCP servers as one
// page: once, every text that a model will read of them, with the findings in place.
// The command line and the workbench print the same rows.
package setpage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/review/rules"
)

// Kind is the kind of a row.
type Kind int

// The kinds.
const (
	Title   Kind = iota // of the set
	Note                // about the set or a tool
	Tool                // begins a tool
	Text                // a text that a model reads, or a parameter
	Finding             // in the text above, or in the tool
	Raw                 // a line of the JSON that was imported
)

// Row is one row. Everything but Sign is untrusted.
type Row struct {
	Kind     Kind
	Tool     int    // index of the member, -1 for the whole set
	Sign     string // "+" for what is new in a changed tool, "-" for what goes, else ""
	Name     string // of a tool or a parameter
	Detail   string // the type of a parameter, the hints of a tool
	Text     string // of one line
	Severity rules.Severity
	Waived   bool
}

// Page is a change set laid out.
type Page struct {
	Rows []Row
	// Starts are the rows at which the tools begin, in the order of the members.
	Starts []int
}

// Fits reports whether a change set can be shown as a page: all of its members are
// tools of MCP servers, with the JSON that was imported.
func Fits(set review.ChangeSet) bool {
	return len(set.Members) > 0 && !slices.ContainsFunc(set.Members, func(d review.Dossier) bool {
		t := d.Revision.Draft.Definition.Tool
		return t == nil || t.Source == nil || t.Source.Type != registry.SourceMCP || len(d.Source) == 0
	})
}

// Of lays out a change set that fits; with raw also the imported JSON.
func Of(set review.ChangeSet, raw bool) Page {
	b := builder{set: set, repeated: repeatedFindings(set), common: commonEntries(set)}
	b.head()
	for i, d := range set.Members {
		b.page.Starts = append(b.page.Starts, len(b.page.Rows))
		b.tool(i, d)
		if raw {
			b.raw(i, d.Source)
		}
	}
	return b.page
}

type builder struct {
	set      review.ChangeSet
	repeated map[string]int // by message of a finding: in how many tools, where that is many
	common   []entry        // of every tool
	shown    []shownTool
	page     Page
}

// shownTool is a tool that is on the page already, and what stands there of it.
type shownTool struct {
	name string
	has  map[[3]string]bool
}

func (b *builder) add(r Row) { b.page.Rows = append(b.page.Rows, r) }

// head names the set, and has the texts and findings of many of its tools.
func (b *builder) head() {
	counts, servers := map[proposals.Type]int{}, []string{}
	for _, d := range b.set.Members {
		counts[d.Proposal.Type]++
		if s := d.Revision.Draft.Definition.Tool.Server(); s != "" && !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	var parts []string
	for _, c := range []struct {
		kind proposals.Type
		word string
	}{{proposals.New, "new"}, {proposals.Modify, "changed"}, {proposals.Restore, "restored"}, {proposals.Deactivate, "gone"}, {proposals.Reactivate, "back"}} {
		if n := counts[c.kind]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+c.word)
		}
	}
	title := "tools"
	if len(b.set.Members) == 1 {
		title = "tool"
	}
	title = strconv.Itoa(len(b.set.Members)) + " " + title
	if len(servers) > 0 {
		title += " of the MCP server " + strings.Join(servers, ", ")
	}
	b.add(Row{Kind: Title, Tool: -1, Name: b.set.Name, Text: title + ": " + strings.Join(parts, ", ")})
	b.add(Row{Kind: Note, Tool: -1, Text: "What a model reads of each tool. * marks a required parameter, ↵ a line end."})
	if len(b.common) > 0 {
		b.add(Row{Kind: Note, Tool: -1, Text: "Of every tool:"})
		b.entries(-1, b.common, nil)
	}
	seen := map[string]bool{}
	for _, d := range b.set.Members {
		for _, s := range d.Standing {
			if n := b.repeated[same(s)]; n > 0 && !seen[same(s)] {
				seen[same(s)] = true
				b.finding(-1, s, fmt.Sprintf(" (%d tools)", n))
			}
		}
	}
}

// same returns a key that findings share that say the same of several tools.
func same(s review.Standing) string { return s.Rule + " " + s.Message }

// manyTools is in how many tools a finding stands that is shown once for all of them.
const manyTools = 3

// repeatedFindings counts the findings that are shown once. Those that block are
// shown where they stand.
func repeatedFindings(set review.ChangeSet) map[string]int {
	counts := map[string]int{}
	for _, d := range set.Members {
		in := map[string]bool{}
		for _, s := range d.Standing {
			if s.Severity != rules.Block && !in[same(s)] {
				in[same(s)] = true
				counts[same(s)]++
			}
		}
	}
	for message, n := range counts {
		if n < manyTools {
			delete(counts, message)
		}
	}
	return counts
}

// finding adds a finding, and how to deal with it where it weighs something.
func (b *builder) finding(tool int, s review.Standing, more string) {
	text := s.Message + more
	if s.Severity != rules.Info && s.Suggestion != "" {
		text += " → " + s.Suggestion
	}
	if s.Waiver != nil {
		text = s.Message + more + " Waived by " + s.Waiver.By + ": " + s.Waiver.Reason
	}
	b.add(Row{Kind: Finding, Tool: tool, Name: s.Rule, Text: flow(text), Severity: s.Severity, Waived: s.Waiver != nil})
}

// tool adds a member: its heading, its texts, and the findings in them.
func (b *builder) tool(i int, d review.Dossier) {
	p, draft := d.Proposal, d.Revision.Draft
	t := draft.Definition.Tool
	node := parsed(d.Source)
	b.add(Row{Kind: Tool, Tool: i, Name: t.OriginName(), Detail: b.kindOf(d), Text: heading(node, p)})
	entries := slices.DeleteFunc(entriesOf(node), func(e entry) bool {
		return p.Type == proposals.New && (e.path == hintPath && e.name == "hints" || e.path == "definition.name" || slices.ContainsFunc(b.common, e.same))
	})
	switch {
	case p.Type == proposals.Deactivate:
		entries = nil
	case p.Type != proposals.New && len(d.BaseSource) > 0:
		entries = changed(entriesOf(parsed(d.BaseSource)), entries)
	}
	if !intake.Generated(draft, d.Base) {
		entries = append(entries, besides(draft)...)
	}
	entries = append(entries, edited(d)...)
	b.entries(i, entries, b.placed(d, entries))
	b.shown = append(b.shown, shownTool{t.OriginName(), contents(entries)})
	for _, c := range d.Comments {
		b.add(Row{Kind: Note, Tool: i, Name: c.Author.String(), Text: flow(c.Body)})
	}
	for _, o := range d.Others {
		b.add(Row{Kind: Note, Tool: i, Text: "Approving this makes " + o.Handle() + " by " + o.Author.String() + " stale."})
	}
}

// kindOf names a proposal and its change.
func (b *builder) kindOf(d review.Dossier) string {
	words := map[proposals.Type]string{
		proposals.New: "new", proposals.Modify: "changed", proposals.Restore: "restored",
		proposals.Deactivate: "gone: it is not offered any more once you approve", proposals.Reactivate: "back",
	}
	if len(b.set.Members) == 1 {
		return words[d.Proposal.Type]
	}
	return d.Proposal.Handle() + " " + words[d.Proposal.Type]
}

// entries adds the texts of a tool, each with its findings; at has them by the entry,
// -1 for those of the tool. Parameters without a text share a row, and what stands
// above already, of another tool, is not repeated.
func (b *builder) entries(tool int, entries []entry, at map[int][]review.Standing) {
	findings := func(i int) {
		for _, s := range at[i] {
			b.finding(tool, s, "")
		}
	}
	findings(-1)
	for i := 0; i < len(entries); i++ {
		if n, of := b.above(entries[i:], func(k int) bool { return len(at[i+k]) == 0 }); n >= manyEntries {
			b.add(Row{Kind: Text, Tool: tool, Name: entries[i].name, Detail: "to " + entries[i+n-1].name, Text: "as in " + of})
			i += n - 1
			continue
		}
		row := entries[i].row(tool)
		for entries[i].bare() && i+1 < len(entries) && entries[i+1].bare() && entries[i+1].sign == row.Sign && order(entries[i+1].path) == order(entries[i].path) && len(at[i]) == 0 && len(row.Text) < joined {
			i++
			row.Text += strings.TrimRight(" · "+entries[i].name+" "+entries[i].detail, " ")
		}
		b.add(row)
		findings(i)
	}
}

// manyEntries is how many parameters in a row are shown once for several tools.
const manyEntries = 3

// above returns how many of the first entries stand above as they are, of one tool;
// free tells whether there is nothing more to say about one of them.
func (b *builder) above(entries []entry, free func(i int) bool) (n int, of string) {
	for _, t := range b.shown {
		k := 0
		for k < len(entries) && entries[k].sign == "" && entries[k].name != "" && free(k) && t.has[entries[k].content()] {
			k++
		}
		if k > n {
			n, of = k, t.name
		}
	}
	return n, of
}

func contents(entries []entry) map[[3]string]bool {
	has := map[[3]string]bool{}
	for _, e := range entries {
		has[e.content()] = true
	}
	return has
}

// commonEntries returns what every tool says beside its description and parameters,
// where there are several tools and all are new.
func commonEntries(set review.ChangeSet) []entry {
	if len(set.Members) < manyTools || slices.ContainsFunc(set.Members, func(d review.Dossier) bool { return d.Proposal.Type != proposals.New }) {
		return nil
	}
	var common []entry
	for i, d := range set.Members {
		has := slices.DeleteFunc(entriesOf(parsed(d.Source)), func(e entry) bool { return !strings.HasPrefix(e.path, wire.SourcePath) })
		if i == 0 {
			common = has
			continue
		}
		common = slices.DeleteFunc(common, func(e entry) bool { return !slices.ContainsFunc(has, e.same) })
	}
	return common
}

// joined is about how many characters of parameters share a row.
const joined = 70

// placed returns the findings to show with a tool by the entry that they are in.
func (b *builder) placed(d review.Dossier, entries []entry) map[int][]review.Standing {
	at := map[int][]review.Standing{}
	for _, s := range d.Standing {
		if b.repeated[same(s)] > 0 {
			continue
		}
		best := -1
		for i, e := range entries {
			if within(s.Path, e.path) && (best < 0 || len(e.path) >= len(entries[best].path)) {
				best = i
			}
		}
		at[best] = append(at[best], s)
	}
	return at
}

// within reports whether a path is that of a field or leads into it.
func within(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && field != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// raw adds the imported JSON.
func (b *builder) raw(tool int, source []byte) {
	for line := range strings.SplitSeq(string(jsondoc.Indent(parsed(source))), "\n") {
		b.add(Row{Kind: Raw, Tool: tool, Text: line})
	}
}

// parsed reads imported JSON; what cannot be read is one text.
func parsed(source []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(source, jsondoc.DefaultLimits)
	if err != nil || n.Kind != jsondoc.Object {
		return jsondoc.NewObject(jsondoc.Member{Key: "unreadable", Value: jsondoc.NewString(string(source))})
	}
	return n
}

// heading has the title and the hints of a tool that is new: those of a changed one
// are among its texts.
func heading(n *jsondoc.Node, p proposals.Proposal) string {
	if p.Type != proposals.New {
		return ""
	}
	words := hints(n.Get("annotations"))
	if title := n.Get("title"); title != nil {
		words = strings.TrimSuffix(jsondoc.Quote(flow(scalar(title)))+"  "+words, "  ")
	}
	return words
}

// hints names the annotations that a server may give, as it gives them.
func hints(annotations *jsondoc.Node) string {
	var words []string
	for _, h := range hintWords() {
		switch v := annotations.Get(h.key); {
		case v == nil || v.Kind != jsondoc.Bool:
		case v.Text == "true":
			words = append(words, h.yes)
		default:
			words = append(words, h.no)
		}
	}
	return strings.Join(words, ", ")
}

// hintWord has the words for an annotation.
type hintWord struct{ key, yes, no string }

func hintWords() []hintWord {
	return []hintWord{
		{"readOnlyHint", "says it only reads", "says it writes"},
		{"destructiveHint", "destructive", "not destructive"},
		{"idempotentHint", "idempotent", "not idempotent"},
		{"openWorldHint", "open world", "closed world"},
	}
}

// edited returns what of a definition differs from what an import makes of its JSON,
// such as a tier or a description of the user's own.
func edited(d review.Dossier) []entry {
	t := *d.Revision.Draft.Definition.Tool
	item, err := wire.ReadItem(wire.MCP, d.Source)
	if err != nil {
		return nil
	}
	made := intake.Origin{Label: t.Server(), Server: t.Server() != ""}.Definition(item)
	made.ID, made.Source = t.ID, t.Source
	var list []entry
	for _, key := range intake.Differing(made, t) {
		if key == "status" {
			continue
		}
		path := "definition." + key
		value := parsed(d.Revision.Draft.Definition.Canonical()).Get(key)
		list = append(list, entry{name: "in toolcrib, " + key, text: flow(scalar(value)), path: path})
	}
	return list
}

// besides has the rationale, the examples and the test cases of a proposal that were
// not generated by an import.
func besides(d proposals.Draft) []entry {
	list := []entry{{name: "rationale", text: flow(d.Rationale)}}
	if !intake.GeneratedTests(d) {
		for _, e := range d.Examples {
			list = append(list, entry{name: "example", text: flow(e)})
		}
		for _, c := range d.TestCases {
			text, _ := jsondoc.Encode(c) // it was decoded from JSON
			list = append(list, entry{name: "test case", text: flow(string(text))})
		}
	}
	return list
}
