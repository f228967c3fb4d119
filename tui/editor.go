package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/atomicfile"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

func (m *shell) noEditor() string { return m.cfg.NoEditor() }

// DraftNew asks for the subject of a new proposal.
func (m host) DraftNew() tea.Cmd {
	text := edit.NewLine("tool:" + string(m.cfg.Layer) + "/")
	return m.Type(&screen.Line{
		Prompt: "new", Text: text, Hints: [][2]string{{"enter", "write it in the editor"}, {"esc", "leave"}},
		Done: func() tea.Cmd {
			s, err := registry.ParseSubject(text.String())
			if err != nil {
				m.Fail(err)
				return nil
			}
			return m.edit(m.cfg.Draft(s, nil, 0))
		},
	})
}

// Edit opens the editor.
func (m host) Edit(w screen.Manuscript) tea.Cmd { return m.edit(Manuscript(w)) }

// Change opens a live definition in the editor.
func (m host) Change(s registry.Subject, d registry.Definition, version int) tea.Cmd {
	return m.edit(m.cfg.Draft(s, &d, version))
}

func (m host) edit(w Manuscript) tea.Cmd {
	if m.cfg.Remote {
		return m.editHere(w)
	}
	return m.inEditor(w, func(text []byte, err error) tea.Cmd { return m.edited(w, text, err) })
}

// cannotEdit returns why the text of a dialog cannot be opened in the editor.
func (m *shell) cannotEdit(d *dialog) string {
	switch {
	case d.text == nil || m.draftFile(d.Draft) == "":
		return "the text is not kept in a file"
	case m.cfg.Remote:
		return "no program is run here"
	}
	return m.noEditor()
}

// editText opens the text of a dialog in the editor.
func (m *shell) editText(d *dialog) tea.Cmd {
	if why := m.cannotEdit(d); why != "" {
		return m.Say(warning, "%s: %s", editorKey, why)
	}
	w := Manuscript{File: m.draftFile(d.Draft), Name: d.About}
	err := writeWhole(w.File, []byte(d.text.String()))
	if err != nil {
		return m.Fail(err)
	}
	return m.inEditor(w, func(text []byte, err error) tea.Cmd {
		switch {
		case err != nil:
			return m.Fail(err)
		case m.dialog == d:
			d.text, d.Writing = edit.New(strings.TrimSuffix(string(text), "\n")), true
		}
		return m.saveDraft(d)
	})
}

// inEditor runs the user's editor, and then does something with the text.
func (m *shell) inEditor(w Manuscript, then func(text []byte, err error) tea.Cmd) tea.Cmd {
	run, err := m.cfg.Prepare(w)
	if err != nil {
		return m.Fail(err)
	}
	give := m.cfg.Exec
	if give == nil {
		give = tea.ExecProcess
	}
	return give(run, func(err error) tea.Msg {
		var text []byte
		if err != nil {
			err = fmt.Errorf("the editor failed: %w; the draft is in %s", err, m.cfg.KeptIn(w.File))
		} else {
			text, err = os.ReadFile(w.File)
		}
		return screen.Then{Do: func() tea.Cmd { return then(text, err) }}
	})
}

// editHere opens a manuscript in the editor of the workbench.
func (m host) editHere(w Manuscript) tea.Cmd {
	err := w.begin()
	var text []byte
	if err == nil {
		text, err = os.ReadFile(w.File)
	}
	if err != nil {
		m.Fail(err)
		return nil
	}
	var d *dialog
	opened := m.Ask(screen.Dialog{
		Form: proposals.Form{Title: w.Name, Verb: "check it"}, NoteOptional: true, Label: "Text", Tall: true, Writing: true, Draft: filepath.Base(w.File), About: w.Name,
		Content: func(page *prose.Page) {
			page.Faint("", "Type or paste the proposal. It is kept among your unsent drafts.")
		},
		Run: func(string) tea.Cmd {
			written := []byte(d.text.String())
			return func() tea.Msg {
				err := writeWhole(w.File, written)
				return screen.Then{Do: func() tea.Cmd { return m.edited(w, written, err) }}
			}
		},
	})
	d = m.dialog
	d.text = edit.NewLossless(string(text))
	d.resize(m.shell)
	return opened
}

// edited reads the text from the editor and asks what to do with it.
func (m host) edited(w Manuscript, text []byte, err error) tea.Cmd {
	switch {
	case err != nil:
		return m.Fail(err)
	case w.Unchanged(text):
		m.Say(remark, "No changes")
		return m.dropDraft(filepath.Base(w.File))
	}
	draft, problems := w.Parse(text)
	return m.askAgain(w, problems, draft)
}

// askAgain lists the problems of a text, or asks whether to send it.
func (m host) askAgain(w Manuscript, problems []string, draft *proposals.Draft) tea.Cmd {
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
		Keys: []screen.Key{{Keys: []string{"e"}, Label: "edit again", Do: func() tea.Cmd {
			m.dialog = nil
			return m.edit(w)
		}}},
	}
	if draft != nil && len(problems) == 0 {
		d.Form.Verb = proposals.ActSubmit.Form(1).Verb
		d.Run = func(_ string) tea.Cmd { return m.send(w, *draft, true, draftName) }
	}
	if draft != nil && w.ID == "" {
		d.Keys = append(d.Keys, screen.Key{Keys: []string{"d"}, Label: "save as a draft", Do: func() tea.Cmd {
			m.dialog = nil
			return m.send(w, *draft, false, draftName)
		}})
	}
	return m.Ask(d)
}

func (m host) send(w Manuscript, draft proposals.Draft, submit bool, draftName string) tea.Cmd {
	return m.Write(screen.Drafted(draftName, func(ctx context.Context) (proposals.Proposal, string, error) {
		return m.cfg.Send(ctx, w, draft, submit)
	}))
}

// Manuscript is a proposal that is written in an editor of the user's. Its file
// stays until it was sent.
type Manuscript screen.Manuscript

// Unchanged reports whether there is nothing in text that was not there. A merge
// that nobody finished is not nothing: it has marks to take out.
func (w Manuscript) Unchanged(text []byte) bool {
	return bytes.Equal(text, w.Text) && !strings.HasPrefix(filepath.Base(w.File), "rebase-")
}

// Editor is the command of the user's editor, with arguments: vi where none is named,
// as for git; "" for none.
func (c *Config) Editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if c := strings.TrimSpace(c.Getenv(name)); c != "" {
			return c
		}
	}
	for _, dir := range filepath.SplitList(c.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, "vi")); dir != "" && err == nil && info.Mode()&0o111 != 0 {
			return "vi"
		}
	}
	return ""
}

// NoEditor returns why nothing can be edited, "" when it can.
func (c *Config) NoEditor() string {
	switch {
	case !c.Remote && c.Editor() == "":
		return "set VISUAL or EDITOR first"
	case c.Drafts == "":
		return "no folder for drafts is available"
	}
	return ""
}

// Revision is the manuscript of the next revision of a proposal.
func (c *Config) Revision(d review.Dossier) Manuscript {
	p := d.Proposal
	text, ext := written(d.Revision.Draft)
	file := filepath.Join(c.Drafts, fmt.Sprintf("revise-%s-r%d%s", p.ID, p.Revision, ext))
	return Manuscript{p.ID, file, wording.Reference(p) + " " + p.Subject.String(), text}
}

// Draft is the manuscript of a proposal about a subject: to modify a live
// definition, or a new one.
func (c *Config) Draft(s registry.Subject, live *registry.Definition, version int) Manuscript {
	t := proposals.New
	if live != nil {
		t = proposals.Modify
	}
	name := fmt.Sprintf("%s-%s-%s-v%d", t, s.Kind, strings.ReplaceAll(string(s.Layer), "/", "-")+"-"+s.ID, version)
	text, ext := written(proposals.Template(t, s, live, version))
	return Manuscript{"", filepath.Join(c.Drafts, name+ext), s.String(), text}
}

// KeptIn names where a draft is kept: its file, where the user can reach it.
func (c *Config) KeptIn(file string) string {
	if c.Remote {
		return "your unsent drafts"
	}
	return file
}

// begin writes the file of a manuscript, unless it is there from before.
func (w Manuscript) begin() error {
	_, err := os.Stat(w.File)
	if errors.Is(err, fs.ErrNotExist) {
		err = writeWhole(w.File, w.Text)
	}
	return err
}

// Prepare writes the file, unless it is there from before, and returns the
// command that edits it.
func (c *Config) Prepare(w Manuscript) (*exec.Cmd, error) {
	if err := w.begin(); err != nil {
		return nil, err
	}
	// The shell takes the command apart, as for git and others, because it may
	// have arguments: "code --wait".
	return exec.Command("sh", "-c", c.Editor()+` "$1"`, "sh", w.File), nil //nolint:noctx // the user ends the editor
}

// Parse reads a text from the editor: the draft, nil if there is none, and why it
// cannot be submitted.
func (w Manuscript) Parse(text []byte) (draft *proposals.Draft, problems []string) {
	parsed, err := proposals.DecodeFile(w.File, text)
	if len(parsed) != 1 || parsed[0].Doc == nil {
		if err == nil {
			err = errors.New("it must hold exactly one proposal")
		}
		return nil, []string{wording.OneLine(err)}
	}
	for _, p := range parsed[0].Problems() {
		problems = append(problems, p.String())
	}
	if len(parsed[0].Malformed) > 0 {
		return nil, problems
	}
	return &parsed[0].Draft, problems
}

// Texts that are not sent yet are kept as files, so that they outlive the
// dialog, the program and the machine's bad days.

// draftFile returns the path of a draft, "" without a drafts folder.
func (m *shell) draftFile(name string) string {
	if m.cfg.Drafts == "" || name == "" {
		return ""
	}
	switch filepath.Ext(name) {
	case ".md", ".json", ".txt":
	default:
		name += ".txt"
	}
	return filepath.Join(m.cfg.Drafts, filepath.Base(name))
}

// readDraft puts the draft of a dialog into it, unless the user has typed something
// meanwhile.
func (m *shell) readDraft(d *dialog) tea.Cmd {
	file := m.draftFile(d.Draft)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil // there is none
		}
		return screen.Then{Do: func() tea.Cmd {
			if m.dialog == d && d.text != nil && d.text.String() == "" {
				d.text = edit.New(string(text))
				m.Say(remark, "Restored your draft for %s", d.About)
			}
			return nil
		}}
	}
}

// saveDraft saves the text of a dialog as it is.
func (m *shell) saveDraft(d *dialog) tea.Cmd {
	file := m.draftFile(d.Draft)
	if file == "" || d.text == nil {
		return nil
	}
	text := d.text.String()
	d.savedAt = m.now()
	if text == "" {
		return m.dropDraft(d.Draft)
	}
	return m.kept.change(file, func() error { return writeWhole(file, []byte(text)) })
}

func (m *shell) dropDraft(name string) tea.Cmd {
	file := m.draftFile(name)
	if file == "" {
		return nil
	}
	return m.kept.change(file, func() error {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// draftFiles orders the changes of drafts. Commands run side by side, so one that was
// asked for earlier may come later: it must not undo the newer one.
type draftFiles struct {
	mu      sync.Mutex
	newest  map[string]int // by file, the change that was asked for last
	writing sync.Mutex
}

// change returns the command that changes a file, unless another change of it has been
// asked for meanwhile.
func (f *draftFiles) change(file string, do func() error) tea.Cmd {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest == nil {
		f.newest = map[string]int{}
	}
	f.newest[file]++
	order := f.newest[file]
	return func() tea.Msg {
		f.writing.Lock()
		defer f.writing.Unlock()
		f.mu.Lock()
		stale := order < f.newest[file]
		f.mu.Unlock()
		if stale {
			return nil
		}
		return screen.Done{Err: do()}
	}
}

// then runs a command after another that answers nothing, or an error.
func then(first, second tea.Cmd) tea.Cmd {
	if first == nil || second == nil {
		return tea.Batch(first, second)
	}
	return func() tea.Msg {
		if msg, failed := first().(screen.Done); failed && msg.Err != nil {
			return msg
		}
		return second()
	}
}

// writeWhole writes a file in one step, in a folder that it makes.
func writeWhole(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, text, atomicfile.Options{Mode: 0o600})
}

// written returns a draft as Markdown, or as JSON where Markdown would lose
// something or bring hidden characters into the user's editor, with the ending
// of the file's name. In JSON they are escapes, which are read back as they were.
func written(d proposals.Draft) (text []byte, ext string) {
	if text, err := d.Markdown(); err == nil && shown(string(text)) {
		return text, ".md"
	}
	return visible.JSON(d.JSON()), ".json"
}

// shown reports whether an editor shows every character of text. A single
// selector after a symbol, which makes an emoji of it, is seen by what it does.
func shown(text string) bool {
	var before rune
	for _, r := range text {
		emoji := (r == '\ufe0e' || r == '\ufe0f') && unicode.Is(unicode.S, before)
		if r != '\n' && r != '\t' && visible.Hidden(r) && !emoji {
			return false
		}
		before = r
	}
	return utf8.ValidString(text)
}
