// This file draws what several pages show: changed prompts, capabilities, test cases, definitions, previews,
// and versions.

package screen

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/reach/fact"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// PromptChange is a channel prompt that an approval changes. Before is "" for an added prompt, and After is "" for a
// removed prompt.
type PromptChange struct {
	Agent         registry.Subject
	Channel       string
	Before, After string
}

// ChangedPrompts returns the prompts that differ between the current and the new state of each preview. The prompts
// are in the order of previews and, within a preview, in the order of its channels.
func ChangedPrompts(previews []impact.Preview) []PromptChange {
	var out []PromptChange
	for _, p := range previews {
		for _, o := range slices.Concat(p.Then, p.Now) {
			c := PromptChange{p.Agent, o.Channel, textOf(p.Now, o.Channel), textOf(p.Then, o.Channel)}
			if c.Before != c.After && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

func textOf(outputs []prompt.Output, channel string) string {
	for _, o := range outputs {
		if o.Channel == channel {
			return o.Text
		}
	}
	return ""
}

// reachLabels names the kinds of facts for people.
var reachLabels = map[fact.Kind]string{
	fact.Out: "host or mailbox", fact.Link: "link", fact.Secret: "secret", fact.Write: "written file", fact.Rights: "permission",
	fact.Run: "command or code", fact.File: "outside file", fact.User: "message to people", fact.Other: "other tool or agent",
}

// Capabilities lists the capabilities that the proposal adds and removes, one per line. For a first import, it lists
// the number of capabilities of each kind instead. Facts that quote whole sentences are omitted, because the diff
// shows the sentences.
func (f Frame) Capabilities(page *prose.Page, d review.Dossier) {
	added, removed := capabilityFacts(d.Reach.Added), capabilityFacts(d.Reach.Removed)
	if len(added)+len(removed) == 0 {
		return
	}
	page.Blank()
	if d.Base == nil {
		page.Heading("Reach")
		for _, g := range fact.ByKind(added) {
			page.Item(draw.Of("", "  "), reachLabels[g.Kind]+": "+g.Values())
		}
		return
	}
	page.Heading("Reach: " + strconv.Itoa(len(added)) + " added, " + strconv.Itoa(len(removed)) + " removed, " + strconv.Itoa(len(capabilityFacts(d.Reach.Unchanged))) + " unchanged")
	for _, side := range []struct {
		sign  draw.Safe
		style theme.Style
		facts []fact.Fact
	}{{"+", f.Theme.Good, added}, {"−", f.Theme.Bad, removed}} {
		l := fact.Arrange(side.facts)
		for _, of := range l.Listed {
			sign := draw.Of(side.style, "  "+side.sign+" ")
			if of.NewToRegistry && of.Policy() == fact.Warns && side.sign == "+" {
				sign = draw.Of(f.Theme.Warn, " ▲+ ")
			}
			text := reachLabels[of.Kind] + ":" + strings.TrimSuffix(strings.TrimPrefix(of.Words(), string(of.Kind)), " ("+fact.Told+")")
			if of.NewHere && !of.NewToRegistry {
				text += ", known in the registry"
			}
			page.Item(sign, text+"  "+wording.FieldName(of.Path)+" "+strconv.Itoa(of.Line))
		}
		for _, c := range l.Counts {
			page.Item(draw.Of(side.style, "  "+side.sign+" "), c.String())
		}
	}
}

// capabilityFacts returns all facts, except facts of the kind fact.Text, which quote whole sentences.
func capabilityFacts(facts []fact.Fact) []fact.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f fact.Fact) bool { return f.Kind == fact.Text })
}

// TestsField lists the changes to the test cases of the given proposals. It highlights removed and weakened test
// cases.
func (f Frame) TestsField(page *prose.Page, ds ...review.Dossier) {
	label := draw.Safe("tests")
	for _, d := range ds {
		for _, c := range wording.TestChanges(d.TestChanges()) {
			style, sign := f.Theme.Faint, draw.Safe("  ")
			if c.Weaker {
				style, sign = f.Theme.Warn, "! "
			}
			text := c.Text
			if len(ds) > 1 {
				text = wording.Reference(d.Proposal) + " " + text
			}
			page.Item(draw.Of(f.Theme.Faint, draw.Pad(label, prose.LabelWidth)).Add(style, sign), text)
			label = ""
		}
	}
}

// Unassigned warns that no agent has the tools that ps propose, and shows the command that assigns a tool to an
// agent. It draws nothing if ps is empty.
func (f Frame) Unassigned(page *prose.Page, ps ...proposals.Proposal) {
	names := lists.Map(ps[:min(len(ps), wording.MaxRules)], func(p proposals.Proposal) string { return p.Subject.ID })
	if len(ps) == 0 {
		return
	}
	if n := len(ps) - len(names); n > 0 {
		names = append(names, strconv.Itoa(n)+" more")
	}
	page.Item(draw.Of(f.Theme.Warn, "! "), "No agent has "+wording.Enumerate(names)+". Assign a tool: toolcrib assign "+ps[0].Subject.ID+" --to NAME")
}

// MaxPreview is the maximum size, in bytes, of a definition that a side pane shows.
const MaxPreview = 64 << 10

// Definition draws the values of doc for the given keys. It skips keys that doc does not have. The elements of a
// list are drawn one below the other.
func (f Frame) Definition(page *prose.Page, doc *jsondoc.Node, keys []string) {
	text := func(v *jsondoc.Node) string {
		if one := review.Scalar(v); v.Kind == jsondoc.String || len(one) <= 60 {
			return one
		}
		return string(jsondoc.Indent(v))
	}
	list := func(v *jsondoc.Node) bool {
		return v.Kind == jsondoc.Array && len(v.Items) > 0 && !slices.ContainsFunc(v.Items, func(i *jsondoc.Node) bool { return i.Kind != jsondoc.String })
	}
	long := func(v *jsondoc.Node) bool { return strings.Contains(text(v), "\n") || len(text(v)) > 60 }
	label := draw.Width("name") + 2
	for _, key := range keys {
		if v := doc.Get(key); v != nil && (list(v) || !long(v)) {
			label = min(max(label, draw.Width(draw.Escape(key))+2), 20)
		}
	}
	field := func(key, value string) {
		page.Item(draw.Of(f.Theme.Faint, draw.Pad(draw.Escape(key), label)), value)
	}
	for _, key := range keys {
		v := doc.Get(key)
		switch {
		case v == nil:
		case key == "files" && v.Kind == jsondoc.Object:
			f.files(page, v)
		case list(v):
			for _, item := range v.Items {
				field(key, item.Text)
				key = ""
			}
		case long(v):
			page.Gap()
			page.Heading(key)
			page.Text("  ", strings.TrimSuffix(text(v), "\n"))
			page.Blank()
		default:
			field(key, text(v))
		}
	}
}

// files draws the files of a skill or of instructions. Each file is drawn below its path.
func (f Frame) files(page *prose.Page, files *jsondoc.Node) {
	for _, m := range files.Members {
		var file registry.File
		if ps := jsondoc.Bind(m.Value, jsondoc.Root, &file); len(ps) > 0 { // skip the files of a damaged draft
			page.Item(draw.Of(f.Theme.Faint, draw.Pad(draw.Escape(m.Key), 20)), string(jsondoc.Canonical(m.Value)))
			continue
		}
		head := draw.Of(f.Theme.Title, draw.Escape(m.Key))
		if notes := diff.About(file); len(notes) > 0 {
			head = head.Add(f.Theme.Faint, "  "+draw.Escape(strings.Join(notes, ", ")))
		}
		page.Gap()
		page.Line(head)
		if file.Text != "" {
			page.Text("  ", strings.TrimSuffix(file.Text, "\n"))
		}
	}
}

// Document parses a definition. It returns the definition as a JSON object, and the possible keys of definitions of
// the kind. The object is empty if the definition is nil or invalid.
func Document(kind registry.Kind, definition []byte) (*jsondoc.Node, []string) {
	empty := &jsondoc.Node{Kind: jsondoc.Object}
	if definition == nil {
		return empty, nil
	}
	doc, err := jsondoc.Parse(definition, jsondoc.DefaultLimits)
	if err != nil {
		return empty, nil
	}
	d, err := registry.DecodeDefinition(kind, definition)
	if err != nil {
		return empty, nil
	}
	return doc, d.Keys()
}

// Preview is the side pane of a list. It shows details of the selected row. The zero value is an empty pane.
type Preview struct {
	pager *pager.Pager
	of    string // the row shown; "" after Reset
}

// View draws page, which describes the row with the given ID. If the previous call was for another row, it scrolls
// to the top.
func (p *Preview) View(f Frame, id string, page *prose.Page) []string {
	if p.pager == nil {
		p.pager = pager.New(f.Theme)
		p.pager.SetWrap(true)
	}
	p.pager.Restyle(f.Theme)
	p.pager.SetSize(f.Side, f.Body)
	if p.of != id {
		p.of = id
		p.pager.SetRows(page.Rows())
	} else {
		p.pager.Replace(page.Rows())
	}
	return p.pager.View()
}

// MarkSeen records the visible text as read. It returns false if the pane does not show the row with the given ID.
func (p *Preview) MarkSeen(id string) bool {
	if p.pager == nil || p.of != id {
		return false
	}
	p.pager.MarkSeen()
	return true
}

// Unseen calls fn with the pager of the pane, and returns the result.
func (p *Preview) Unseen(fn func(*pager.Pager) []string) []string { return fn(p.pager) }

// Reset makes the next call of View start at the top.
func (p *Preview) Reset() { p.of = "" }

// Scroll scrolls the pane down by n lines.
func (p *Preview) Scroll(n int) {
	if p.pager != nil {
		p.pager.Scroll(n)
	}
}

// Previewed is a page that shows a list with a side pane.
type Previewed interface {
	Paned
	Pane() *Preview
}

// PreviewKeys returns the keys that scroll the side pane.
func PreviewKeys(p Previewed) []Key {
	scroll := func(screens float64) func() tea.Cmd {
		return func() tea.Cmd {
			p.Pane().Scroll(int(screens * float64(p.Layout().Body)))
			return nil
		}
	}
	off := func() string { return zoomed(p, "the pane is hidden; z shows it") }
	return []Key{
		{Name: "preview-down", Keys: []string{"J"}, Help: "Scroll the side pane down", Do: scroll(0.5), Disabled: off},
		{Name: "preview-up", Keys: []string{"K"}, Help: "Scroll the side pane up", Do: scroll(-0.5), Disabled: off},
	}
}

// Entry is a live definition in the list of a registry page.
type Entry struct {
	Subject  registry.Subject
	Version  int
	Name     string
	ToolKind string
	Category string
	Approval string
	Source   string // server or file that the definition was imported from
	Locked   bool
	Hides    []registry.Subject
}

// Opening is a request to open the page of a live definition. If Compare is set, the page shows the differences
// between two versions. If Blame is set, it shows the blame of a line. If Change is set, the definition is opened in
// the editor.
type Opening struct {
	Entry   Entry
	Compare Span
	Blame   Blame
	Change  bool
}

// Blame requests the blame of a field: for each line, the version that introduced the line.
type Blame struct {
	Field   string // JSON path; "" for no blame
	Line    int    // number of the first line to show; 0 for the beginning
	Version int    // show the lines of this version; 0 for the newest
}

// Forker drafts a new tool from the core tool named id.
type Forker interface{ Fork(id string) tea.Cmd }

// Drafter drafts a new proposal in the editor.
type Drafter interface{ DraftNew() tea.Cmd }

// EntryKeys returns the keys for a live definition. selected returns this definition, and change opens it in the
// editor. noEditor returns the reason why no editor is available, or "".
func EntryKeys(sh Forker, selected func() (Entry, bool), change func() tea.Cmd, noEditor func() string) []Key {
	off := func(locked bool, why string, then func() string) func() string {
		return func() string {
			switch e, ok := selected(); {
			case !ok:
				return "no definition is selected; enter folds or unfolds a group"
			case e.Locked == locked:
				return why
			}
			return then()
		}
	}
	fork := func() tea.Cmd {
		e, _ := selected()
		return sh.Fork(e.Subject.ID)
	}
	return []Key{
		{Name: "fork", Keys: []string{"f"}, Label: "fork", Help: "Draft a new tool from a core tool", Terms: "copy, clone, customize", Do: fork, Disabled: off(false, "not a core tool; e proposes a change", func() string { return "" })},
		{Name: "change", Keys: []string{"e"}, Label: "change", Help: "Propose a change to the definition in the editor", Terms: "edit, modify, update", Do: change, Disabled: off(true, "Locked (core); f drafts a new tool from it", noEditor)},
	}
}

// NewKey returns the key that drafts a new proposal.
func NewKey(sh Drafter, noEditor func() string) Key {
	draft := func() tea.Cmd { return sh.DraftNew() }
	return Key{Name: "new", Keys: []string{"ctrl+n"}, Label: "new", Late: Always, Help: "Draft a new proposal in the editor", Terms: "create, add, propose, draft", Do: draft, Disabled: noEditor}
}

// MaxVersions is the maximum number of versions that are listed for a subject.
const MaxVersions = 500

// Span is a pair of version numbers to compare. If From is 0, the whole version To is shown as added.
type Span struct{ From, To int }

// Between returns the numbers of two versions to compare: the selected version and the marked version or, if no
// other version is marked, the version before the selected version. selected is an index of versions. marked is the
// number of the marked version, or 0.
func Between(versions []history.Version, selected, marked int) Span {
	v := versions[selected].Number
	switch {
	case marked > v:
		return Span{v, marked}
	case marked > 0 && marked < v:
		return Span{marked, v}
	case selected+1 < len(versions):
		return Span{versions[selected+1].Number, v}
	}
	return Span{0, v}
}

// MarkVersion toggles the mark of a version. selected is the number of this version. current is the number of the
// marked version, and the result marked is its new value; 0 means that no version is marked.
func MarkVersion(sh Shell, current, selected int) (marked int, cmd tea.Cmd) {
	if current == selected {
		return 0, sh.Say(Remark, "Mark removed")
	}
	return selected, sh.Say(Remark, "Version %d marked; press enter on another version to compare", selected)
}

// Extents returns the number of added and removed lines of each version, as text. versions are sorted from newest to
// oldest. The text is "" for the oldest version, and for definitions larger than MaxPreview.
func Extents(versions []history.Version) []string {
	extents := make([]string, len(versions))
	for i := range max(0, len(versions)-1) {
		after, before := versions[i], versions[i+1]
		if len(after.Definition)+len(before.Definition) > MaxPreview {
			continue
		}
		is, err := registry.DecodeDefinition(after.Subject.Kind, after.Definition)
		was, wrong := registry.DecodeDefinition(before.Subject.Kind, before.Definition)
		if err != nil || wrong != nil {
			continue
		}
		extents[i] = Extent(diff.Definitions(was, is))
	}
	return extents
}

// Extent returns the number of added and removed lines in the given fields, as text.
func Extent(fields []diff.Field) string {
	added, removed := 0, 0
	for _, f := range fields {
		r, a := f.Patch().Changed()
		added, removed = added+a, removed+r
	}
	l := draw.Changes(theme.Theme{}, added, removed)
	return l.String(l.Width())
}

// VersionRows lists versions in a column of the given width. For each version, it shows the time, the author and the
// approver, the number of changed lines, and the reason. Each version is a stop of the pager.
func (f Frame) VersionRows(page *prose.Page, width int, versions []history.Version, extents []string, marked int) {
	for i, v := range versions {
		page.Stop()
		mark := draw.Safe("  ")
		if v.Number == marked {
			mark = " ●"
		}
		who := Approvers(v.Author, v.DecidedBy)
		if v.Proposal == "" {
			who = "toolcrib"
		}
		line := draw.Of(f.Theme.Accent, mark).Add(f.Theme.Strong, draw.Escapef("v%-4d", v.Number)).Add(f.Theme.Faint, f.FormatDay(v.DecidedAt)+"  ")
		line = line.Add(f.Theme.Text, who+"  ").Add(f.Theme.Faint, draw.Safe(extents[i])+"  ")
		switch {
		case v.Note == "":
			page.Line(line)
		case width >= 100:
			page.FaintItem(line, v.Note)
		default:
			page.Line(line)
			page.Faint("        ", v.Note)
		}
	}
}

// Approvers returns the name of the author, followed by the name of the decider if this is another person.
func Approvers(author, decider string) draw.Safe {
	name := func(actor string) draw.Safe { return draw.Escape(strings.TrimPrefix(actor, "user:")) }
	if author == decider {
		return name(author)
	}
	return name(author) + " → " + name(decider)
}

// EntryPage is a page with keys for a live definition, which is the result of Selected.
type EntryPage interface{ Selected() (Entry, bool) }
