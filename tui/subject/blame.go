package subject

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// blaming is the section that shows which version brought in each line of a text.
type blaming struct {
	page  *Page
	asked screen.Blame // by who opened the page
	field int          // index among the texts
	lines blamed
}

// blamed is the lines of a text with the version that each of them came with.
type blamed struct {
	field   string
	version int // the newest that was followed
	lines   []history.BlameLine
	err     error
}

// texts are the fields that can be blamed line by line, the one that was asked for first.
func (b *blaming) texts() []string {
	var out []string
	if b.asked.Field != "" {
		out = append(out, b.asked.Field)
	}
	doc, keys := screen.Document(b.page.entry.Subject.Kind, b.page.definition)
	for _, key := range keys {
		if v := doc.Get(key); v != nil && v.Kind == jsondoc.String && len(v.Text) > 20 && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// wanted returns the text on the screen, and the versions that it is followed
// through, the newest first.
func (b *blaming) wanted() (field string, versions []history.Version) {
	texts := b.texts()
	if len(texts) == 0 {
		return "", nil
	}
	n := min(b.field, len(texts)-1)
	versions = b.page.versions
	if as := b.asked; n == 0 && as.Version > 0 {
		if i := slices.IndexFunc(versions, func(v history.Version) bool { return v.Number <= as.Version }); i > 0 {
			versions = versions[i:]
		}
	}
	return texts[n], versions
}

// load follows the chosen text through the versions.
func (b *blaming) load() tea.Cmd {
	field, versions := b.wanted()
	if field == "" || len(versions) == 0 {
		return nil
	}
	if b.lines.field == field && b.lines.version == versions[0].Number {
		return nil
	}
	return func() tea.Msg {
		follow, made := history.NewBlame(field), blamed{field: field, version: versions[0].Number}
		for i := len(versions) - 1; i >= 0 && made.err == nil; i-- {
			made.err = follow.Add(versions[i])
		}
		made.lines = follow.Lines()
		return b.page.then(func() tea.Cmd {
			b.lines = made
			b.page.lay()
			if field == b.asked.Field {
				b.page.Pager.SetStop(min(max(0, b.asked.Line-1), len(made.lines)-1))
			}
			return nil
		})
	}
}

// turn goes on to another text.
func (b *blaming) turn(step int) tea.Cmd {
	n := len(b.texts())
	if n == 0 || b.page.Tab != sectionBlame {
		return nil
	}
	b.field = (b.field + step + n) % n
	b.page.Pager.Home()
	b.page.lay()
	return b.load()
}

// lay lists the lines of the text, each behind the version that brought it in.
func (b *blaming) lay(page *prose.Page) {
	th := b.page.Frame.Theme
	texts := b.texts()
	name, versions := b.wanted()
	if name == "" || len(versions) == 0 {
		page.Faint("", "No text to show.")
		return
	}
	l := draw.Of(th.Field, "◆ "+draw.Show(name)).Add(th.Faint, draw.Showf("  as of v%d", versions[0].Number))
	if len(texts) > 1 {
		l = l.Add(th.Faint, draw.Showf(", text %d of %d: ] shows the next", slices.Index(texts, name)+1, len(texts)))
	}
	page.Line(l)
	page.Blank()
	made := b.lines
	switch {
	case made.field != name || made.version != versions[0].Number:
		page.Faint("", "…")
		return
	case made.err != nil:
		page.Text("", wording.OneLine(made.err))
		return
	case len(made.lines) == 0:
		page.Faint("", "It is empty in this version.")
		return
	}
	for i, l := range made.lines {
		page.Stop()
		who := draw.Safe("")
		if i == 0 || made.lines[i-1].Version != l.Version {
			who = b.by(versions, l.Version)
		}
		page.Item(draw.Of(th.Faint, draw.Pad(" "+who, b.page.Frame.Blame)+"│ "), l.Text)
	}
}

// by says when a version was decided, and by whom, as far as there is room. The
// oldest of the versions that were read stands for those before it.
func (b *blaming) by(versions []history.Version, number int) draw.Safe {
	v, ok := versionOf(versions, number)
	if !ok {
		return draw.Showf("v%d", number)
	}
	sign := "v"
	if last := versions[len(versions)-1]; last.Number == number && number > 1 {
		sign = "≤v"
	}
	who := draw.Showf("%s%d %s", sign, number, v.DecidedAt.UTC().Format("2006-01-02"))
	_, name, _ := strings.Cut(v.Author, ":")
	names := []string{v.Author, name, ""}
	if v.DecidedBy != "" && v.DecidedBy != v.Author {
		names = slices.Insert(names, 0, v.Author+", "+v.DecidedBy)
	}
	for _, name := range names {
		if by := who + " " + draw.Show(name); draw.Width(by) <= b.page.Frame.Blame-2 {
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

// version returns the version of the selected line.
func (b *blaming) version() (history.Version, bool) {
	n, lines := b.page.Pager.Stop(), b.lines.lines
	if b.page.Tab != sectionBlame || n < 0 || n >= len(lines) {
		return history.Version{}, false
	}
	return versionOf(b.page.versions, lines[n].Version)
}

// open opens the proposal that brought in the selected line.
func (b *blaming) open() tea.Cmd {
	v, _ := b.version()
	return b.page.shell.Open(proposals.Proposal{ID: proposals.ID(v.Proposal)}, false)
}

// none returns why the selected line leads nowhere.
func (b *blaming) none() string {
	switch v, ok := b.version(); {
	case !ok:
		return "no line is selected"
	case v.Proposal == "":
		return "version " + strconv.Itoa(v.Number) + " was shipped with toolcrib, without a proposal"
	}
	return ""
}
