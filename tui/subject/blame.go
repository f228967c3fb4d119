// This file shows which version introduced each line of a definition.

package subject

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// blameSection is the section that shows which version introduced each line.
type blameSection struct {
	page    *Page
	request screen.Blame // the blame that was requested when the page was opened
	results []blamedText // a result for each text
	version int          // newest version when the results were computed; 0 if they have not been computed
	rows    []int        // first row of each text
}

// blamedText contains the lines of a text and, for each line, the version that introduced it.
type blamedText struct {
	field    string
	versions []history.Version // versions that were analyzed, newest first
	lines    []history.BlameLine
	err      error
}

// texts returns the texts to blame, each with the versions to analyze. The first one is the requested field.
func (b *blameSection) texts() []blamedText {
	var out []blamedText
	add := func(field string, versions []history.Version) {
		if !slices.ContainsFunc(out, func(o blamedText) bool { return o.field == field }) {
			out = append(out, blamedText{field: field, versions: versions})
		}
	}
	versions := b.page.versions
	if as := b.request; as.Field != "" {
		from := 0
		if as.Version > 0 {
			from = max(0, slices.IndexFunc(versions, func(v history.Version) bool { return v.Number <= as.Version }))
		}
		add(as.Field, versions[from:])
	}
	doc, keys := screen.Document(b.page.entry.Subject.Kind, b.page.definition)
	for _, key := range keys {
		if v := doc.Get(key); v != nil && v.Kind == jsondoc.String && strings.ContainsAny(v.Text, " \n") { // omit single words, which are names
			add(key, versions)
		}
	}
	return out
}

// load returns a command that computes the blame of the texts, or nil if the blame is known.
func (b *blameSection) load() tea.Cmd {
	texts := b.texts()
	if len(texts) == 0 || len(b.page.versions) == 0 {
		return nil
	}
	newest := b.page.versions[0].Number
	if b.version == newest && len(b.results) == len(texts) {
		return nil
	}
	return func() tea.Msg {
		for i := range texts {
			t := &texts[i]
			blame := history.NewBlame(t.field)
			for _, v := range slices.Backward(t.versions) {
				if t.err = blame.Add(v); t.err != nil {
					break
				}
			}
			if t.err == nil {
				t.lines = blame.Lines()
			}
		}
		return b.page.then(func() tea.Cmd {
			first := b.version == 0
			b.results, b.version = texts, newest
			b.page.layOut()
			if lines := texts[0].lines; first && b.request.Field != "" {
				b.page.Pager.SetStop(min(max(0, b.request.Line-1), len(lines)-1))
			}
			return nil
		})
	}
}

// turn selects the next text if step is 1, or the previous text if step is -1.
func (b *blameSection) turn(step int) tea.Cmd {
	n := len(b.results)
	if n == 0 || b.page.Tab != sectionBlame {
		return nil
	}
	at, _ := b.selected()
	next, before := (at+step+n)%n, 0
	for _, m := range b.results[:next] {
		before += len(m.lines)
	}
	b.page.Pager.ScrollTo(b.rows[next])
	b.page.Pager.SetStop(before)
	return nil
}

// selected returns the index of the text that contains the selected line, and the index of the line in that
// text. If no line is selected, line is -1.
func (b *blameSection) selected() (text, line int) {
	line = b.page.Pager.Stop()
	for i, m := range b.results {
		if line < len(m.lines) {
			return i, line
		}
		line -= len(m.lines)
	}
	return 0, -1
}

// layOut draws the lines of the texts, each with the version that introduced it.
func (b *blameSection) layOut(page *prose.Page) {
	th := b.page.Frame.Theme
	texts := b.texts()
	if len(texts) == 0 || len(b.page.versions) == 0 {
		page.Faint("", "No text to show.")
		return
	}
	b.rows = nil
	for i, text := range texts {
		computed := i < len(b.results) && b.results[i].field == text.field && b.version == b.page.versions[0].Number
		if computed {
			text = b.results[i]
		}
		if i > 0 {
			page.Blank()
		}
		b.rows = append(b.rows, page.Len())
		page.Line(draw.Of(th.Field, "◆ "+draw.Escape(text.field)).Add(th.Faint, draw.Escapef("  as of v%d", text.versions[0].Number)))
		switch {
		case !computed:
			page.Faint("", "…")
		case text.err != nil:
			page.Text("", wording.OneLine(text.err))
		case len(text.lines) == 0:
			page.Faint("", "This text is empty in this version.")
		default:
			th := b.page.Frame.Theme
			for i, l := range text.lines {
				page.Stop()
				who := draw.Safe("")
				if i == 0 || text.lines[i-1].Version != l.Version {
					who = b.versionLabel(text.versions, l.Version)
				}
				page.Item(draw.Of(th.Faint, draw.Pad(" "+who, b.page.Frame.Blame)+"│ "), l.Text)
			}
		}
	}
}

// versionLabel describes a version by its date, its author, and its approver. It omits parts that do not fit.
// The oldest analyzed version has a sign, because the line may be older.
func (b *blameSection) versionLabel(versions []history.Version, number int) draw.Safe {
	v, ok := versionOf(versions, number)
	if !ok {
		return draw.Escapef("v%d", number)
	}
	sign := "v"
	if last := versions[len(versions)-1]; last.Number == number && number > 1 {
		sign = "≤v"
	}
	who := draw.Escapef("%s%d %s", sign, number, v.DecidedAt.UTC().Format("2006-01-02"))
	_, name, _ := strings.Cut(v.Author, ":")
	names := []string{v.Author, name, ""}
	if v.DecidedBy != "" && v.DecidedBy != v.Author {
		names = slices.Insert(names, 0, v.Author+", "+v.DecidedBy)
	}
	for _, name := range names {
		if by := who + " " + draw.Escape(name); draw.Width(by) <= b.page.Frame.Blame-2 {
			return by
		}
	}
	return who
}

func versionOf(versions []history.Version, number int) (history.Version, bool) {
	i := slices.IndexFunc(versions, func(v history.Version) bool { return v.Number == number })
	if i < 0 {
		return history.Version{}, false
	}
	return versions[i], true
}

// line returns the version that introduced the selected line.
func (b *blameSection) line() (history.Version, bool) {
	text, line := b.selected()
	if b.page.Tab != sectionBlame || line < 0 || line >= len(b.results[text].lines) {
		return history.Version{}, false
	}
	return versionOf(b.page.versions, b.results[text].lines[line].Version)
}
