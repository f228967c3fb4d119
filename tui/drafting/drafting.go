// Package drafting lets the user write proposals in an editor, checks them, and sends them. It also lets the
// user resolve conflicts with the live version.
package drafting

import (
	"context"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/desk"
	"toolcrib/tui/dialog"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/editor"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/unsent"
	"toolcrib/tui/wording"
)

// Shell is the part of the workbench that drafting uses.
type Shell interface {
	screen.Messenger
	Frame() screen.Frame
	Dialog() *dialog.Dialog // open dialog, or nil
	CloseDialog()
}

// Drafting is the part of the workbench in which the user writes and submits proposals.
type Drafting struct {
	Shell  Shell
	Editor *editor.Editor
	Unsent *unsent.Folder
	User   *desk.User
	Write  func(screen.Write) tea.Cmd
}

// DraftNew prompts for the definition that a new proposal is about, and opens the proposal in the editor.
func (m *Drafting) DraftNew() tea.Cmd {
	text := edit.NewLine("tool:" + string(m.User.Layer) + "/")
	return m.Shell.OpenLine(&screen.Line{
		Prompt: "new", Text: text, Hints: [][2]string{{"enter", "write it in the editor"}, {"esc", "leave"}},
		Done: func() tea.Cmd {
			s, err := registry.ParseSubject(text.String())
			if err != nil {
				return m.Shell.Fail(err)
			}
			return m.Edit(m.Editor.Draft(s, nil, 0))
		},
	})
}

// EditLive opens a live definition in the editor. The cursor is at the line that contains passage.
func (m *Drafting) EditLive(s registry.Subject, d registry.Definition, version int, passage string) tea.Cmd {
	w := m.Editor.Draft(s, &d, version)
	w.At = passage
	return m.Edit(w)
}

// Edit opens a manuscript in the user's editor. If the terminal is remote, it opens the built-in editor instead.
func (m *Drafting) Edit(w editor.Manuscript) tea.Cmd {
	if !m.Editor.Remote {
		return m.Editor.Run(w, func(text []byte, err error) tea.Cmd { return m.edited(w, text, err) })
	}
	text, err := w.Read()
	if err != nil {
		return m.Shell.Fail(err)
	}
	var d *dialog.Dialog
	opened := m.Shell.Ask(screen.Dialog{
		Form: proposals.Form{Title: w.Name, Verb: "check it"}, NoteOptional: true, Label: "Text", Tall: true, Writing: true, Draft: filepath.Base(w.File), About: w.Name,
		Content: func(page *prose.Page) {
			page.Faint("", "Type or paste the proposal. It is stored with your unsent drafts.")
		},
		Run: func(string) tea.Cmd {
			written := []byte(d.Text())
			return func() tea.Msg {
				err := unsent.Write(w.File, written)
				return screen.Then{Do: func() tea.Cmd { return m.edited(w, written, err) }}
			}
		},
	})
	d = m.Shell.Dialog()
	d.SetText(string(text))
	return opened
}

// Fork drafts a new tool based on the core tool named id.
func (m *Drafting) Fork(id string) tea.Cmd {
	return m.Write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return m.User.Fork(ctx, id) }))
}

// edited checks the text that the user has edited. It opens a dialog that shows the problems or, if there are
// none, offers to send the text.
func (m *Drafting) edited(w editor.Manuscript, text []byte, err error) tea.Cmd {
	switch {
	case err != nil:
		return m.Shell.Fail(err)
	case w.Unchanged(text):
		m.Shell.Say(screen.Remark, "No changes")
		return m.Unsent.Drop(filepath.Base(w.File))
	}
	draft, problems := w.Parse(text)
	draftName := filepath.Base(w.File)
	d := screen.Dialog{
		Form: proposals.Form{Title: w.Name},
		Content: func(page *prose.Page) {
			switch {
			case len(problems) == 0:
				page.Text("", "No problems found.")
			default:
				page.Text("", "Cannot submit the proposal yet: "+wording.Count(len(problems), "problem", "problems"))
				page.Blank()
				for _, p := range problems {
					page.Item(draw.Of(m.Shell.Frame().Theme.Warn, "! "), p)
				}
			}
			page.Blank()
			page.Faint("", "Saved in "+m.Editor.StoredIn(w.File))
		},
		Keys: []screen.Key{{Keys: []string{"e"}, Label: "edit again", Do: func() tea.Cmd {
			m.Shell.CloseDialog()
			return m.Edit(w)
		}}},
	}
	if draft != nil && len(problems) == 0 {
		d.Form.Verb = proposals.ActSubmit.Form(1).Verb
		d.Run = func(_ string) tea.Cmd { return m.send(w, *draft, true, draftName) }
	}
	if draft != nil && w.ID == "" {
		d.Keys = append(d.Keys, screen.Key{Keys: []string{"d"}, Label: "save as a draft", Do: func() tea.Cmd {
			m.Shell.CloseDialog()
			return m.send(w, *draft, false, draftName)
		}})
	}
	return m.Shell.Ask(d)
}

func (m *Drafting) send(w editor.Manuscript, draft proposals.Draft, submit bool, draftName string) tea.Cmd {
	return m.Write(screen.Drafted(draftName, func(ctx context.Context) (proposals.Proposal, string, error) {
		return m.User.Send(ctx, w, draft, submit)
	}))
}
