// Package entries implements the workbench page that lists live tools, agents, or allow-lists.
package entries

import (
	"context"
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Registry reads live definitions.
type Registry interface {
	Entries(ctx context.Context, q Query) (entries []screen.Entry, next string, err error)
	// Groups returns the groups that contain entries selected by q, with the number of these entries.
	Groups(ctx context.Context, q Query) ([]GroupCount, error)
	Definition(ctx context.Context, s registry.Subject) (json.RawMessage, error)
	Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
}

// Query selects a page of entries, sorted by ID.
type Query struct {
	Kind   registry.Kind
	Filter string
	Group  *Group // nil for all groups
	Limit  int
	After  string
}

// Group identifies the entries on a layer that were imported from the same server or file. Source is "" for
// entries that were not imported.
type Group struct {
	Layer  registry.Layer
	Source string
}

// GroupCount is a group and the number of its entries.
type GroupCount struct {
	Group
	Count int
}

// Options configure the page.
type Options struct {
	Kind     registry.Kind
	Layer    registry.Layer // the page lists the entries that are live for this layer
	NoEditor func() string  // returns why texts cannot be edited, or ""
	Restore  screen.Restore
	Debounce func(msg tea.Msg) tea.Cmd
}

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	screen.Forker
	screen.Drafter
	OpenEntry(o screen.Opening) tea.Cmd
}

// chunk is the number of entries that are loaded at once.
const chunk = 100

// Page lists live tools, agents, or allow-lists. The entries are grouped by layer and source, and sorted by ID.
type Page struct {
	screen.List
	Options
	shell         Shell
	ctx           context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	registry      Registry
	definition    definitionPreview
	filter        string
	outline       outline
	folded        map[Group]bool // groups that the user has folded (true) or unfolded (false)
	cursor        int            // row of the outline
	top           int
	hasRead       bool
	restoreID     string            // subject to select when the list is first loaded; saved by the previous run
	toEnd         bool              // select the last row once it is loaded
	filterChanged bool              // the filter has changed; select the first entry after the reload
	widest        map[draw.Safe]int // preferred width of each column, in cells
}

// New returns a page without rows. Reload loads the rows.
func New(ctx context.Context, sh Shell, r Registry, o Options) *Page {
	return &Page{shell: sh, ctx: ctx, registry: r, Options: o, folded: map[Group]bool{}, filterChanged: true}
}

// Place implements screen.Page.
func (r *Page) Place() string { return "Registry and agents" }

// Keys implements screen.Page.
func (r *Page) Keys() []screen.Key {
	return slices.Concat([]screen.Key{
		{Name: "entry-open", Keys: []string{"enter", "right", "l"}, Label: "open", Help: "Open the selected row; on a group: fold or unfold it", Do: r.open, Disabled: r.noneSelected},
		{Name: "fold", Keys: []string{"F"}, Label: "fold", Late: screen.Always, Help: "Fold the group of the selected row, or unfold it", Do: r.fold, Disabled: r.cannotFold},
		{Name: "fold-all", Keys: []string{"E"}, Help: "Unfold all groups, or fold them if all are unfolded", Do: r.foldAll, Disabled: r.cannotFold},
		{Name: "filter", Keys: []string{"/"}, Label: "filter", Help: "Filter by id or name", Terms: "find, search, grep, views", Do: r.askFilter},
	}, screen.EntryKeys(r.shell, r.Selected, func() tea.Cmd { e, _ := r.Selected(); return r.shell.OpenEntry(screen.Opening{Entry: e, Change: true}) }, r.NoEditor), []screen.Key{
		{Name: "undo", Keys: []string{"U"}, Help: "Propose to restore the version before the live version", Do: r.askRestore, Disabled: r.cannotRestore},
		screen.NewKey(r.shell, r.NoEditor),
	}, screen.PaneKeys(r.shell, r), screen.PreviewKeys(r), screen.ListKeys(r))
}

func (r *Page) noneSelected() string {
	if r.outline.len() == 0 {
		return "nothing is selected"
	}
	return ""
}

// open opens the selected entry. On a heading, it folds or unfolds the group.
func (r *Page) open() tea.Cmd {
	e, ok := r.Selected()
	if !ok {
		return r.fold()
	}
	return r.shell.OpenEntry(screen.Opening{Entry: e})
}

// askRestore opens a dialog to restore the version before the live version.
func (r *Page) askRestore() tea.Cmd {
	e, _ := r.Selected()
	return screen.Restorer{Versions: r.registry.Versions, Restore: r.Restore}.Ask(r.ctx, r.shell, r, r.Frame, e.Subject, e.Version-1)
}

func (r *Page) cannotRestore() string {
	switch e, ok := r.Selected(); {
	case !ok:
		return "no definition is selected; enter folds or unfolds a group"
	case e.Locked:
		return "Locked (core)"
	case e.Version < 2:
		return "the definition has no earlier version"
	}
	return ""
}

// LeftWidth implements screen.Paned.
func (r *Page) LeftWidth(l screen.Layout) int { return r.layout(l).Beside() }

// layout returns the layout of the page. Lists of agents and allow-lists have few columns, so their side pane
// is wider.
func (r *Page) layout(l screen.Layout) screen.Layout {
	if r.Kind == registry.KindTool {
		return l
	}
	return l.WithList(l.Width * 2 / 5)
}

// Fit implements screen.Page.
func (r *Page) Fit(f screen.Frame) {
	f.Layout = r.layout(f.Layout)
	r.Frame = f
	r.clamp()
}

// Escape implements screen.Page. It clears the filter.
func (r *Page) Escape() (tea.Cmd, bool) {
	if r.filter == "" {
		return nil, false
	}
	return r.setFilter(""), true
}

// Scroll implements screen.Page.
func (r *Page) Scroll(x, n int) tea.Cmd {
	if r.Frame.InSide(x) {
		r.Preview.Scroll(n)
		return nil
	}
	return r.Move(n)
}

// Click implements screen.Page.
func (r *Page) Click(x, row int) tea.Cmd {
	if r.Frame.InSide(x) {
		return nil
	}
	return r.Move(r.top + row - r.cursor)
}

// Filter implements screen.Filtered.
func (r *Page) Filter() string { return r.filter }

// askFilter opens an input line for the filter. The list is filtered after each key. esc restores the previous
// filter.
func (r *Page) askFilter() tea.Cmd {
	before, text := r.filter, edit.NewSelected(r.filter)
	return r.shell.OpenLine(&screen.Line{
		Prompt: "filter", Text: text, Hints: [][2]string{{"enter", "keep the filter"}, {"esc", "undo"}},
		Changed: func() tea.Cmd { return r.setFilter(text.String()) }, Cancel: func() tea.Cmd { return r.setFilter(before) },
	})
}

func (r *Page) setFilter(text string) tea.Cmd {
	if text == r.filter {
		return nil
	}
	r.filter, r.filterChanged = text, true
	clear(r.folded)
	return r.read(nil)
}

// Tabs implements screen.Page.
func (r *Page) Tabs() (left, right draw.Line) {
	th := r.Frame.Theme
	names := map[registry.Kind]draw.Safe{registry.KindTool: "Tools", registry.KindAgent: "Agents", registry.KindList: "Allow-lists"}
	n := r.outline.total()
	l := draw.Of("", " ").Add(th.Accent, "▎"+names[r.Kind]).Add(th.Faint, draw.Escapef("  %s in the layer %s", wording.Count(n, "live definition", "live definitions"), r.Layer))
	if rank := r.outline.entryNumber(r.cursor); rank > 0 {
		right = draw.Of(th.Faint, draw.Escapef(" %d/%d ", rank, n))
	}
	if r.filter != "" {
		right = right.Add(th.Match, " "+draw.Cut(draw.Escape(r.filter), r.Frame.Width/3)+" ").Add("", " ")
	}
	return l, right
}

// Reload implements screen.Page. For each unfolded group, it loads at least as many entries as were loaded
// before.
func (r *Page) Reload() tea.Cmd {
	loaded := map[Group]int{}
	for _, p := range r.outline.sections {
		if p.open && p.read {
			loaded[p.Group] = max(chunk, len(p.entries))
		}
	}
	return r.read(loaded)
}

// read loads the groups. loaded maps each group to the number of entries to load. If the list has at most
// fewEntries entries, read loads the whole list.
func (r *Page) read(loaded map[Group]int) tea.Cmd {
	q := Query{Kind: r.Kind, Filter: r.filter}
	return screen.Load(r.shell, r, func() (outline, error) {
		groups, err := r.registry.Groups(r.ctx, q)
		o := outline{lists.Map(groups, func(g GroupCount) section { return section{GroupCount: g} })}
		if err == nil && o.total() <= fewEntries {
			q.Limit = fewEntries
			var entries []screen.Entry
			entries, _, err = r.registry.Entries(r.ctx, q)
			for _, e := range entries {
				if p := o.section(Group{e.Subject.Layer, e.Source}); p != nil {
					p.entries = append(p.entries, e)
				}
			}
			for i := range o.sections {
				o.sections[i].read = true
			}
			return o, err
		}
		for i := range o.sections {
			p := &o.sections[i]
			if n := loaded[p.Group]; n > 0 && err == nil {
				q.Group, q.Limit = &p.Group, n
				p.entries, p.next, err = r.registry.Entries(r.ctx, q)
				p.read = true
			}
		}
		return o, err
	}, func(o outline) tea.Cmd {
		if q.Filter != r.filter {
			return nil
		}
		return r.loaded(o)
	})
}

// loaded replaces the groups. It preserves the selection if possible.
func (r *Page) loaded(o outline) tea.Cmd {
	fresh := r.filterChanged
	group, subject := r.group(), registry.Subject{}
	if e, ok := r.Selected(); ok {
		subject = e.Subject
	}
	r.hasRead, r.filterChanged, r.outline = true, false, o
	few := r.outline.total() <= fewEntries || r.filter != "" || len(r.outline.sections) == 1
	r.widest = map[draw.Safe]int{}
	for i := range r.outline.sections {
		p := &r.outline.sections[i]
		p.open = few
		if folded, chosen := r.folded[p.Group]; chosen {
			p.open = !folded
		}
		r.measure(p.entries)
	}
	if left, err := registry.ParseSubject(r.restoreID); err == nil {
		subject, fresh = left, r.outline.find(left, group) < 0
	}
	r.restoreID = ""
	row := r.outline.find(subject, group)
	switch {
	case fresh:
		r.cursor, r.top = 0, 0
		if r.outline.headingRows() > 0 && r.outline.sections[0].open {
			r.cursor = 1
		}
	case row >= 0:
		r.cursor = row
	}
	r.clamp()
	r.definition = definitionPreview{} // the reload may have changed the definition
	return tea.Batch(r.fill(), r.debounce())
}

// debounce loads the selected definition after the cursor has stayed on its row for the debounce delay.
func (r *Page) debounce() tea.Cmd {
	e, ok := r.Selected()
	if !ok || r.Frame.Side == 0 || e.Subject == r.definition.subject {
		return nil
	}
	return r.Debounce(screen.Then{Page: r, Do: func() tea.Cmd { return r.loadDefinition(e.Subject) }})
}
