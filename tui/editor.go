package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

func (m *Model) noEditor() string { return m.cfg.NoEditor() }

// draftNew asks for the subject of a new proposal.
func (m *Model) draftNew() {
	text := edit.NewLine("tool:" + string(m.cfg.Layer) + "/")
	m.line = &screen.Line{
		Prompt: "new", Text: text, Hints: [][2]string{{"enter", "write it in the editor"}, {"esc", "leave"}},
		Done: m.action(func(m *Model) tea.Cmd {
			s, err := registry.ParseSubject(text.String())
			if err != nil {
				m.fail(err)
				return nil
			}
			return m.edit(m.cfg.Draft(s, nil, 0))
		}),
	}
}

// edit opens the editor.
func (m *Model) edit(w Manuscript) tea.Cmd {
	if m.cfg.Remote {
		return m.editHere(w)
	}
	run, err := m.cfg.Prepare(w)
	if err != nil {
		m.fail(err)
		return nil
	}
	give := m.cfg.Exec
	if give == nil {
		give = tea.ExecProcess
	}
	return give(run, func(err error) tea.Msg {
		if err != nil {
			return edited(w, nil, fmt.Errorf("the editor failed: %w; the draft is in %s", err, m.cfg.KeptIn(w.File)))
		}
		text, err := os.ReadFile(w.File)
		return edited(w, text, err)
	})
}

// editHere opens a manuscript in the editor of the workbench.
func (m *Model) editHere(w Manuscript) tea.Cmd {
	err := w.begin()
	var text []byte
	if err == nil {
		text, err = os.ReadFile(w.File)
	}
	if err != nil {
		m.fail(err)
		return nil
	}
	var d *dialog
	opened := m.ask(screen.Dialog{
		Form: proposals.Form{Title: w.Name, Verb: "check it"}, NoteOptional: true, Label: "Text", Tall: true, Writing: true, Draft: filepath.Base(w.File), About: w.Name,
		Content: func(page *prose.Page) {
			page.Faint("", "Type or paste the proposal. It is kept among your unsent drafts.")
		},
		Run: m.answered(func(*Model, string) tea.Cmd {
			written := []byte(d.text.String())
			return func() tea.Msg { return edited(w, written, writeWhole(w.File, written)) }
		}),
	})
	d = m.dialog
	d.text = edit.New(string(text))
	d.resize(m)
	return opened
}

// edited reads the text from the editor and asks what to do with it.
func edited(w Manuscript, text []byte, err error) result {
	return func(m *Model) tea.Cmd {
		switch {
		case err != nil:
			m.fail(err)
			return nil
		case w.Unchanged(text):
			m.say(remark, "No changes")
			return m.dropDraft(filepath.Base(w.File))
		}
		draft, problems := w.Parse(text)
		return m.askAgain(w, problems, draft)
	}
}

// askAgain lists the problems of a text, or asks whether to send it.
func (m *Model) askAgain(w Manuscript, problems []string, draft *proposals.Draft) tea.Cmd {
	draftName := filepath.Base(w.File)
	d := screen.Dialog{
		Form: proposals.Form{Title: w.Name},
		Content: func(page *prose.Page) {
			switch {
			case len(problems) == 0:
				page.Text("", "No problems found.")
			default:
				page.Text("", "Cannot submit it yet: "+wording.Count(len(problems), "problem", "problems"))
				page.Blank()
				for _, p := range problems {
					page.Item(draw.Of(m.theme.Warn, "! "), p)
				}
			}
			page.Blank()
			page.Faint("", "Saved in "+m.cfg.KeptIn(w.File))
		},
		Other: map[string]screen.Action{
			"e": m.action(func(m *Model) tea.Cmd {
				m.dialog = nil
				return m.edit(w)
			}),
		},
		OtherHelp: [][2]string{{"e", "edit again"}},
	}
	if draft != nil && len(problems) == 0 {
		d.Form.Verb = proposals.ActSubmit.Form(1).Verb
		d.Run = m.answered(func(m *Model, _ string) tea.Cmd { return m.send(w, *draft, true, draftName) })
	}
	if draft != nil && w.ID == "" {
		d.Other["d"] = m.action(func(m *Model) tea.Cmd {
			m.dialog = nil
			return m.send(w, *draft, false, draftName)
		})
		d.OtherHelp = append(d.OtherHelp, [2]string{"d", "save as a draft"})
	}
	return m.ask(d)
}

func (m *Model) send(w Manuscript, draft proposals.Draft, submit bool, draftName string) tea.Cmd {
	return m.write(screen.Drafted(draftName, func(ctx context.Context) (proposals.Proposal, string, error) {
		return m.cfg.Send(ctx, w, draft, submit)
	}))
}
