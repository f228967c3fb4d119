package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/prose"
)

// editing is a proposal that is written in an editor of the user's.
type editing struct {
	id   proposals.ID // that is revised, "" for a new one
	file string
	name string // what people know it as
}

// editedMsg says that the editor has ended.
type editedMsg struct {
	editing
	text []byte
	err  error
}

// editor is the command of the user's editor, with arguments.
func (m *Model) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if c := strings.TrimSpace(m.cfg.Getenv(name)); c != "" {
			return c
		}
	}
	return ""
}

func (m *Model) noEditor() string {
	switch {
	case m.editor() == "":
		return "neither VISUAL nor EDITOR is set"
	case m.cfg.Drafts == "":
		return "there is no folder for drafts"
	}
	return ""
}

func (m *Model) cannotRevise() string {
	if why := cannotAct(proposals.ActRevise)(m); why != "" {
		return why
	}
	return m.noEditor()
}

// reviseCurrent opens the current revision in the editor, or what is left of an
// attempt before.
func (m *Model) reviseCurrent() tea.Cmd {
	p := m.proposal.dossier.Proposal
	draft := m.proposal.dossier.Revision.Draft
	text, ext := written(draft)
	file := filepath.Join(m.cfg.Drafts, fmt.Sprintf("revise-%s-r%d%s", p.ID, p.Revision, ext))
	return m.edit(editing{p.ID, file, reference(p) + " " + p.Subject.String()}, text)
}

// draftNew asks for the subject of a new proposal.
func (m *Model) draftNew() tea.Cmd {
	text := edit.NewLine("tool:" + string(m.cfg.Layer) + "/")
	m.line = &input{
		prompt: "new", text: text, changed: nothing, cancel: nothing,
		done: func(m *Model) tea.Cmd {
			s, err := registry.ParseSubject(text.String())
			if err != nil {
				m.fail(err)
				return nil
			}
			return m.draftFor(s, nil, 0)
		},
	}
	return nil
}

// draftFor opens a proposal about a subject in the editor: to modify what is
// live, or a new one.
func (m *Model) draftFor(s registry.Subject, live *registry.Definition, version int) tea.Cmd {
	t := proposals.New
	if live != nil {
		t = proposals.Modify
	}
	draft := proposals.Template(t, s, live, version)
	name := fmt.Sprintf("%s-%s-%s-v%d", t, s.Kind, strings.ReplaceAll(string(s.Layer), "/", "-")+"-"+s.ID, version)
	text, ext := written(draft)
	return m.edit(editing{"", filepath.Join(m.cfg.Drafts, name+ext), s.String()}, text)
}

// edit writes text to a file, unless it is there from before, and opens the
// editor.
func (m *Model) edit(e editing, text []byte) tea.Cmd {
	command := m.editor()
	prepare := func() error {
		if _, err := os.Stat(e.file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return writeWhole(e.file, text)
	}
	if err := prepare(); err != nil {
		m.fail(err)
		return nil
	}
	// The shell takes the command apart, as for git and others, because it may
	// have arguments: "code --wait".
	run := exec.Command("sh", "-c", command+` "$1"`, "sh", e.file) //nolint:noctx // the user ends the editor
	give := m.cfg.Exec
	if give == nil {
		give = tea.ExecProcess
	}
	return give(run, func(err error) tea.Msg {
		if err != nil {
			return editedMsg{editing: e, err: fmt.Errorf("the editor: %w; the text is kept in %s", err, e.file)}
		}
		text, err := os.ReadFile(e.file)
		return editedMsg{e, text, err}
	})
}

// edited looks at what came out of the editor and asks what to do with it.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	parsed, err := proposals.DecodeFile(msg.file, msg.text)
	if len(parsed) != 1 || parsed[0].Doc == nil {
		if err == nil {
			err = errors.New("it holds no single proposal")
		}
		return m.askAgain(msg, []string{sentence(err)}, nil)
	}
	var lines []string
	for _, p := range parsed[0].Problems() {
		lines = append(lines, p.String())
	}
	draft := parsed[0].Draft
	if len(parsed[0].Malformed) > 0 {
		return m.askAgain(msg, lines, nil)
	}
	return m.askAgain(msg, lines, &draft)
}

// askAgain lists what is wrong with a text, or asks whether to send it.
func (m *Model) askAgain(msg editedMsg, problems []string, draft *proposals.Draft) tea.Cmd {
	kept := filepath.Base(msg.file)
	d := &dialog{
		title: msg.name,
		content: func(m *Model, page *prose.Page) {
			switch {
			case len(problems) == 0:
				page.Text("", "The text is whole.")
			default:
				page.Text("", "It can not be submitted yet, for "+count(len(problems), "reason", "reasons")+":")
				page.Blank()
				for _, p := range problems {
					page.Item(draw.Of(m.theme.Warn, "! "), p)
				}
			}
			page.Blank()
			page.Faint("", "It is kept in "+msg.file)
		},
		other: map[string]func(*Model) tea.Cmd{
			"e": func(m *Model) tea.Cmd {
				m.dialog = nil
				return m.edit(msg.editing, nil)
			},
		},
		otherHelp: [][2]string{{"e", "edit again"}},
	}
	if draft != nil && len(problems) == 0 {
		d.verb = "submit it"
		d.run = func(m *Model, _ string) tea.Cmd { return m.send(msg.editing, *draft, true, kept) }
	}
	if draft != nil && msg.id == "" {
		d.other["d"] = func(m *Model) tea.Cmd {
			m.dialog = nil
			return m.send(msg.editing, *draft, false, kept)
		}
		d.otherHelp = append(d.otherHelp, [2]string{"d", "keep as a draft"})
	}
	return m.ask(d)
}

func (m *Model) send(e editing, draft proposals.Draft, submit bool, kept string) tea.Cmd {
	if e.id == "" {
		return m.propose(draft, submit, kept)
	}
	return m.revise(e.id, draft, kept)
}
