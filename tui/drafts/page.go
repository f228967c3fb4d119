// Package drafts implements the workbench page that lists the user's unsent texts.
package drafts

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/editor"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Desk reads the proposals that unsent texts belong to.
type Desk interface {
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
}

// Options configure the page.
type Options struct {
	Folder string // folder of the unsent texts; "" if there is none
	Actor  proposals.Actor
	// Remote indicates that the user's terminal is on another machine. The user then has no access to the
	// folder.
	Remote bool
	// NoEditor returns the reason why proposals cannot be edited, or "". StoredIn describes where a file is
	// stored.
	NoEditor func() string
	StoredIn func(file string) string
}

// text is an unsent text. The fields are parsed from the name and the content of its file.
type text struct {
	file    string       // name of the file in the folder
	kind    string       // comment, approve, changes, reject, waive, restore, revise, rebase, new, or modify
	id      proposals.ID // first proposal to which the text belongs; "" for none
	others  int          // number of other proposals that the text is about
	about   string       // display name of the text's subject
	opening string       // first words of the text
	at      time.Time
}

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	Edit(w editor.Manuscript) tea.Cmd
	Resume(r screen.Resume) tea.Cmd
	ToQueue() tea.Cmd
	// Drop deletes the text named draft, and then runs cmd.
	Drop(draft string, cmd tea.Cmd) tea.Cmd
}

// Page lists the unsent texts, newest first.
type Page struct {
	screen.Text
	Options
	shell Shell
	ctx   context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	desk  Desk
	texts []text
}

// New returns a page without texts. Reload loads the texts.
func New(ctx context.Context, sh Shell, desk Desk, o Options) *Page {
	return &Page{Text: screen.NewText(), shell: sh, Options: o, ctx: ctx, desk: desk}
}

// Place implements screen.Page.
func (k *Page) Place() string { return "Unsent drafts" }

// Reload implements screen.Page.
func (k *Page) Reload() tea.Cmd { return k.read(false) }

// Announce implements screen.Announcing. It loads the texts, and shows their number if there are any.
func (k *Page) Announce() tea.Cmd { return k.read(true) }

// Fit implements screen.Page.
func (k *Page) Fit(f screen.Frame) {
	k.Text.Fit(f)
	k.layOut()
}

// read loads the texts in the folder. If start is set, it shows their number, unless there are none.
func (k *Page) read(start bool) tea.Cmd {
	if k.Folder == "" {
		return nil
	}
	return screen.Load(k.shell, k, func() ([]text, error) {
		files, err := os.ReadDir(k.Folder)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		var texts []text
		for _, f := range files {
			info, err := f.Info()
			if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(f.Name(), ".") {
				continue
			}
			t := text{file: f.Name(), at: info.ModTime()}
			t.kind, t.about, _ = strings.Cut(strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())), "-")
			if id, more, ok := screen.ReadDraft(t.about); ok {
				if d, err := k.desk.Show(k.ctx, k.Actor, id); err == nil {
					t.id, t.others, t.about = id, more, screen.AboutFirst(d.Proposal, more)
				}
			} else if plain, err := url.PathUnescape(t.about); err == nil {
				t.about = plain
			}
			t.opening = beginning(filepath.Join(k.Folder, f.Name()))
			texts = append(texts, t)
		}
		slices.SortFunc(texts, func(a, b text) int { return b.at.Compare(a.at) })
		return texts, nil
	}, func(texts []text) tea.Cmd {
		k.texts = texts
		k.layOut()
		switch n := len(texts); {
		case !start || n == 0:
			return nil
		case n == 1:
			return k.shell.Say(screen.Remark, "1 unsent draft. Press D to see it")
		default:
			return k.shell.Say(screen.Remark, "%d unsent drafts. Press D to see them", n)
		}
	})
}

// beginning returns the first words of the given file, or "" if the file cannot be read.
func beginning(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 300)
	n, _ := f.Read(buf) // on an error, n is 0
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(buf[:n]), "")), " ")
}

func (k *Page) layOut() {
	th := k.Frame.Theme
	page := prose.New(th)
	if len(k.texts) == 0 {
		page.Blank()
		page.Faint("", "No unsent drafts.")
	}
	for _, t := range k.texts {
		page.Stop()
		page.Item(draw.Of(th.Strong, " "+draw.Pad(draw.Escape(kindName(t.kind)), 15)).Add(th.Faint, screen.FormatTime(t.at)+"  "), t.about)
		page.Faint("                ", t.opening)
		page.Blank()
	}
	if k.Folder != "" && !k.Remote {
		page.Blank()
		page.Faint("", "Folder: "+k.Folder)
	}
	k.Pager.Replace(page.Rows())
}

// kindName returns the display name of a kind of text.
func kindName(kind string) string {
	switch kind {
	case "approve":
		return "note"
	case "changes":
		return "needs changes"
	case "waive":
		return "waiver"
	}
	return kind
}

// Tabs implements screen.Page.
func (k *Page) Tabs() (left, right draw.Line) {
	th := k.Frame.Theme
	return draw.Of("", " ").Add(th.Accent, "▎Unsent drafts").Add(th.Faint, "  "+draw.Escape(wording.Count(len(k.texts), "draft", "drafts"))), nil
}

// Keys implements screen.Page.
func (k *Page) Keys() []screen.Key {
	return append([]screen.Key{
		{Name: "draft-open", Keys: []string{"enter"}, Label: "continue", Help: "Continue the selected draft", Do: k.open, Disabled: k.noneSelected},
		{Name: "draft-drop", Keys: []string{"x"}, Label: "delete", Help: "Delete the selected draft", Do: k.askDrop, Disabled: k.noneSelected},
	}, screen.TextKeys(k.shell, k)...)
}

func (k *Page) noneSelected() string {
	if n := k.Pager.Stop(); n < 0 || n >= len(k.texts) {
		return "nothing is listed"
	}
	return ""
}

// open opens the selected text in the editor or in its dialog.
func (k *Page) open() tea.Cmd {
	t := k.texts[k.Pager.Stop()]
	file := filepath.Join(k.Folder, t.file)
	switch t.kind {
	case "new", "modify", "revise", "rebase":
		if why := k.NoEditor(); why != "" {
			return k.shell.Say(screen.Warning, "enter: %s", why)
		}
		return k.shell.Edit(editor.Manuscript{ID: t.id, File: file, Name: t.about})
	case "comment", "approve", "changes", "reject", "waive":
	default:
		return k.shell.Say(screen.Warning, "The draft is in %s", k.StoredIn(file))
	}
	switch {
	case t.id == "":
		return k.shell.Say(screen.Warning, "The proposal is not in this database; the draft is in %s", k.StoredIn(file))
	case t.others > 0:
		return tea.Batch(k.shell.Say(screen.Remark, "Mark %s in the queue, then press a, c or x to restore the draft", t.about), k.shell.ToQueue())
	}
	return k.shell.Resume(screen.Resume{ID: t.id, Kind: t.kind, File: t.file})
}

func (k *Page) askDrop() tea.Cmd {
	t := k.texts[k.Pager.Stop()]
	return k.shell.Ask(screen.Dialog{
		Form: proposals.Form{Title: "Delete the draft", Verb: "delete it"},
		Content: func(page *prose.Page) {
			page.Field(kindName(t.kind), t.about)
			page.Faint("", t.opening)
		},
		Run: func(string) tea.Cmd { return k.shell.Drop(t.file, k.Reload()) },
	})
}
