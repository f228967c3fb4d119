// Package setpage lays out a change set as a single page. For tools of MCP servers, the page shows each text that a
// model reads once, with the findings about it. For other members, it shows the changes by field or file. The command
// line and the workbench display the same rows.
package setpage

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
)

// Kind is the type of a row.
type Kind int

// Types of rows.
const (
	Title   Kind = iota // title of the change set
	Note                // remark about the change set or a tool
	Tool                // heading of a member
	Text                // text for the model, or a parameter
	Finding             // finding in the preceding text, or about the tool
	Raw                 // line of the imported JSON
	File                // heading of a field or a file
	Fact                // fact about the reach of the texts
)

// Row is a row of the page. All fields except Sign can contain untrusted text.
type Row struct {
	Kind     Kind
	Tool     int    // index of the member, or -1 for the change set
	Depth    int    // nesting depth of the parameter
	Sign     string // "+" for additions to a changed tool, "-" for deletions, or ""
	Name     string // name of a tool or a parameter
	Detail   string // type of a parameter, or hints of a tool
	Text     string // a single line
	Severity rules.Severity
	Waived   bool
	Part     string // field or file to which the row belongs, or ""
	Fold     bool   // whether the row is a line of a file that is shown only on demand
	From     int    // index plus 1 of the earlier member with the same lines, or 0
	// Same is the key of a finding that is shown once for several members, or "".
	Same string
}

// Page is the layout of a change set.
type Page struct {
	Rows []Row
	// Starts contains the index of the first row of each member, in the order of the members.
	Starts []int
}

// Fits reports whether all members of set are tools or texts of MCP servers with available imported JSON.
func Fits(set review.ChangeSet) bool {
	return len(set.Members) > 0 && !slices.ContainsFunc(set.Members, func(d review.Dossier) bool { return !ofServer(d) })
}

// ofServer reports whether d is a tool or a text of an MCP server with available imported JSON.
func ofServer(d review.Dossier) bool {
	t := d.Revision.Draft.Definition.Tool
	return t != nil && t.Source != nil && (t.Source.Type == registry.SourceMCP || t.Kind == registry.ServerText) && len(d.Source) > 0
}

// Of lays out set. If raw is true, the page also contains the imported JSON.
func Of(set review.ChangeSet, raw bool) Page {
	b := builder{set: set, common: commonEntries(set), shown: map[[32]byte]int{}, lines: map[uint64]lineAt{}, seed: maphash.MakeSeed(), remedied: map[string]bool{}}
	for _, d := range set.Members {
		var texts []entry
		if ofServer(d) {
			texts = textsOf(d, d.Source)
		}
		b.texts = append(b.texts, texts)
	}
	b.repeated = b.findRepeated()
	b.add(Row{Kind: Title, Tool: -1, Name: b.set.Name, Text: Counts(b.set.Members)})
	if Fits(b.set) {
		b.add(Row{Kind: Note, Tool: -1, Text: "What a model reads. *: required, ↵: line end, ¶: paragraph; titles that repeat names are omitted."})
	}
	if len(b.common) > 0 {
		b.add(Row{Kind: Note, Tool: -1, Text: "Shared by all tools:"})
		b.list(-1, b.common, nil)
	}
	for _, g := range fact.ByKind(review.NewReach(set.Members)) {
		b.add(Row{Kind: Fact, Tool: -1, Name: string(g.Kind), Text: oneLine(g.Values())})
	}
	b.summary()
	for i, d := range set.Members {
		b.page.Starts = append(b.page.Starts, len(b.page.Rows))
		if ofServer(d) {
			b.tool(i, d)
		} else {
			b.heading(i, d, d.Proposal.Title)
			b.list(i, nil, b.placed(i, nil))
			if !intake.Generated(d.Revision.Draft, d.Base) {
				b.list(i, rationaleEntries(d.Revision.Draft), nil)
			}
			if d.Proposal.Type != proposals.Deactivate {
				b.files(i, d)
			}
		}
		for _, c := range d.Comments {
			b.add(Row{Kind: Note, Tool: i, Name: c.Author.String(), Text: oneLine(c.Body)})
		}
		for _, o := range d.Others {
			b.add(Row{Kind: Note, Tool: i, Text: "Approving this makes " + o.Handle() + " by " + o.Author.String() + " stale."})
		}
		if raw && ofServer(d) {
			for line := range strings.SplitSeq(string(jsondoc.Indent(parsed(d.Source))), "\n") {
				b.add(Row{Kind: Raw, Tool: i, Text: line})
			}
		}
	}
	return b.page
}

type builder struct {
	set      review.ChangeSet
	texts    [][]entry         // entries of each member of a server
	repeated map[string][]int  // result of findRepeated
	common   []entry           // entries that all tools share
	shown    map[[32]byte]int  // maps the hash of a text to the index of the member that first showed the text
	lines    map[uint64]lineAt // maps the hash of a passage of a file to the position of the passage
	seed     maphash.Seed
	remedied map[string]bool // remedies that the page already shows
	page     Page
}

func (b *builder) add(r Row) { b.page.Rows = append(b.page.Rows, r) }

// Counts describes the members: the numbers of tools, texts, and other definitions, their servers, and the number of
// changes of each type.
func Counts(members []review.Dossier) string {
	counts, servers, of := map[proposals.Type]int{}, []string{}, map[string]int{}
	for _, d := range members {
		counts[d.Proposal.Type]++
		noun := map[registry.Kind]string{registry.KindInstructions: "instruction file", registry.KindList: "allow-list"}[d.Proposal.Subject.Kind]
		if t := d.Revision.Draft.Definition.Tool; t != nil {
			if s := t.Server(); s != "" && !slices.Contains(servers, s) {
				servers = append(servers, s)
			}
			if isText(d) {
				noun = "text"
			}
		}
		of[cmp.Or(noun, string(d.Proposal.Subject.Kind))]++
	}
	var parts []string
	words := []string{"new", "changed", "restored", "removed", "re-added"}
	for i, kind := range []proposals.Type{proposals.New, proposals.Modify, proposals.Restore, proposals.Deactivate, proposals.Reactivate} {
		if n := counts[kind]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+words[i])
		}
	}
	var nouns []string
	for _, noun := range []string{"tool", "text", "skill", "instruction file", "agent", "allow-list"} {
		if of[noun] > 0 {
			nouns = append(nouns, counted(of[noun], noun))
		}
	}
	title := strings.Join(nouns, ", ")
	if len(servers) > 0 {
		title += " of the MCP server " + strings.Join(servers, ", ")
	}
	return title + ": " + strings.Join(parts, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// tool adds the rows of member i, a tool or a text of a server: its heading, its texts, and its findings.
func (b *builder) tool(i int, d review.Dossier) {
	p, draft := d.Proposal, d.Revision.Draft
	title := ""
	if p.Type == proposals.New { // the titles of a changed tool are among its texts
		title = titles(shown(d, d.Source))
	}
	b.heading(i, d, title)
	entries := slices.DeleteFunc(slices.Clone(b.texts[i]), func(e entry) bool {
		return p.Type == proposals.New && (inHeading(e) || slices.ContainsFunc(b.common, e.same))
	})
	switch {
	case p.Type == proposals.Deactivate:
		entries = nil
	case p.Type != proposals.New && len(d.BaseSource) > 0:
		entries = changed(textsOf(d, d.BaseSource), entries)
	}
	if !intake.Generated(draft, d.Base) {
		entries = append(entries, rationaleEntries(draft)...)
	}
	entries = append(entries, edited(d)...)
	b.list(i, entries, b.placed(i, entries))
}

// heading adds the heading of member i, and the facts that a change of an existing definition adds or removes.
func (b *builder) heading(i int, d review.Dossier, text string) {
	detail := map[proposals.Type]string{
		proposals.New: "new", proposals.Modify: "changed", proposals.Restore: "restored",
		proposals.Deactivate: "removed: after the approval, agents no longer get it", proposals.Reactivate: "re-added",
	}[d.Proposal.Type]
	if len(b.set.Members) > 1 {
		detail = d.Proposal.Handle() + " " + detail
	}
	b.add(Row{Kind: Tool, Tool: i, Name: Name(d), Detail: detail, Text: text})
	if d.Base == nil {
		return // the facts of new members are at the top of the page
	}
	isText := func(f fact.Fact) bool { return f.Kind == fact.Text } // new sentences are among the texts
	l := fact.Arrange(slices.DeleteFunc(slices.Clone(d.Reach.Added), isText))
	for _, f := range l.Listed {
		row := Row{Kind: Fact, Tool: i, Sign: "+", Text: oneLine(f.Words()), Severity: rules.Info}
		if f.NewToRegistry && f.Policy() == fact.Warns {
			row.Severity = rules.Warn
		}
		b.add(row)
	}
	for _, c := range l.Counts {
		b.add(Row{Kind: Fact, Tool: i, Sign: "+", Text: c.String(), Severity: rules.Info})
	}
	if n := len(slices.DeleteFunc(slices.Clone(d.Reach.Removed), isText)); n > 0 {
		b.add(Row{Kind: Fact, Tool: i, Sign: "-", Text: counted(n, "fact") + " no longer reached", Severity: rules.Info})
	}
}

// commonEntries returns the entries that all tools of a change set share, except descriptions, names, hints, and
// parameters. It returns nil if there are fewer than manyTools members, or if a member is not a new tool or a new text
// of a server.
func commonEntries(set review.ChangeSet) []entry {
	if len(set.Members) < manyTools || !Fits(set) || slices.ContainsFunc(set.Members, func(d review.Dossier) bool { return d.Proposal.Type != proposals.New }) {
		return nil
	}
	var common []entry
	tools := slices.DeleteFunc(slices.Clone(set.Members), isText)
	for i, d := range tools {
		has := slices.DeleteFunc(textsOf(d, d.Source), func(e entry) bool { return !strings.HasPrefix(e.path, wire.SourcePath) })
		if i == 0 {
			common = has
			continue
		}
		common = slices.DeleteFunc(common, func(e entry) bool { return !slices.ContainsFunc(has, e.same) })
	}
	return common
}

// isText reports whether d is a prompt or the instructions of a server.
func isText(d review.Dossier) bool {
	t := d.Revision.Draft.Definition.Tool
	return t != nil && t.Kind == registry.ServerText
}

func formatOf(d review.Dossier) wire.Format {
	if isText(d) {
		return wire.MCPText
	}
	return wire.MCP
}

// shown returns source, the imported JSON of d, in the format of a tool.
func shown(d review.Dossier, source []byte) *jsondoc.Node {
	if item, err := wire.ReadItem(formatOf(d), source); isText(d) && err == nil {
		return item.Shown()
	}
	return parsed(source)
}

// parsed parses imported JSON. If source is not a JSON object, it returns an object that contains source as a string.
func parsed(source []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(source, jsondoc.DefaultLimits)
	if err != nil || n.Kind != jsondoc.Object {
		return jsondoc.NewObject(jsondoc.Member{Key: "unreadable", Value: jsondoc.NewString(string(source))})
	}
	return n
}

// titles returns the titles and the hints of a tool on a single line. It omits titles that repeat the name.
func titles(n *jsondoc.Node) string {
	known := []string{review.Scalar(n.Get("name"))}
	var words []string
	for _, title := range []*jsondoc.Node{n.Get("title"), n.Get("annotations").Get("title")} {
		if title != nil && !slices.ContainsFunc(known, func(t string) bool { return repeats(review.Scalar(title), t) }) {
			known = append(known, review.Scalar(title))
			words = append(words, jsondoc.Quote(oneLine(review.Scalar(title))))
		}
	}
	if h := hints(n.Get("annotations")); h != "" {
		words = append(words, h)
	}
	return strings.Join(words, "  ")
}

// inHeading reports whether the heading of a new tool already shows e.
func inHeading(e entry) bool {
	return e.path == hintPath && e.name == "hints" || e.path == "definition.name" || e.path == wire.SourcePath+"annotations.title"
}

// hints describes the boolean annotations of a tool in words.
func hints(annotations *jsondoc.Node) string {
	var words []string
	for _, h := range hintWords {
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

// hintWord contains the words for the two values of an annotation.
type hintWord struct{ key, yes, no string }

var hintWords = []hintWord{
	{"readOnlyHint", "claims to be read-only", "claims to write"},
	{"destructiveHint", "destructive", "not destructive"},
	{"idempotentHint", "idempotent", "not idempotent"},
	{"openWorldHint", "open world", "closed world"},
}

// edited returns an entry for each key that differs between the definition and a fresh import of its JSON, for example
// because the user changed the tier or the description.
func edited(d review.Dossier) []entry {
	t := *d.Revision.Draft.Definition.Tool
	item, err := wire.ReadItem(formatOf(d), d.Source)
	if err != nil {
		return nil
	}
	made := intake.Origin{Label: t.Server(), Server: t.Server() != ""}.Definition(item)
	made.ID, made.Source = t.ID, t.Source
	list := lists.Map(t.Source.Excluded, func(e registry.Exclusion) entry {
		return named("excluded from the pin", oneLine(e.String()), "definition.source")
	})
	for _, key := range intake.Differing(made, t) {
		if key == "status" {
			continue
		}
		value := parsed(d.Revision.Draft.Definition.Canonical()).Get(key)
		list = append(list, named("in toolcrib, "+key, oneLine(review.Scalar(value)), "definition."+key))
	}
	return list
}

// rationaleEntries returns entries for the rationale, the examples, and the test cases of d. It omits examples and test
// cases that an import generated.
func rationaleEntries(d proposals.Draft) []entry {
	list := []entry{named("rationale", oneLine(d.Rationale), "")}
	if !intake.GeneratedTests(d) {
		for _, e := range d.Examples {
			list = append(list, named("example", oneLine(e), ""))
		}
		for _, c := range d.TestCases {
			text, _ := jsondoc.Encode(c) // cannot fail, because c was decoded from JSON
			list = append(list, named("test case", oneLine(string(text)), ""))
		}
	}
	return list
}
