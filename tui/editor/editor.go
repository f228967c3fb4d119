// Package editor opens proposals in the user's editor.
package editor

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/unsent"
	"toolcrib/tui/wording"
)

// Editor opens texts in the user's editor.
type Editor struct {
	Folder string // folder for the files of manuscripts; if "", nothing can be edited
	Remote bool   // programs cannot be run; the user edits texts in the workbench
	Getenv func(string) string
	// Exec returns a command that runs a process in the terminal and sends a message when the process exits. If
	// Exec is nil, Editor uses tea.ExecProcess.
	Exec func(run *exec.Cmd, done tea.ExecCallback) tea.Cmd
}

// command returns the command line of the configured editor. If no editor is configured, it returns "vi" if vi is
// installed, and "" otherwise.
func (e *Editor) command() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if c := strings.TrimSpace(e.Getenv(name)); c != "" {
			return c
		}
	}
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, "vi")); dir != "" && err == nil && info.Mode()&0o111 != 0 {
			return "vi"
		}
	}
	return ""
}

// Missing returns the reason why texts cannot be edited, or "".
func (e *Editor) Missing() string {
	switch {
	case !e.Remote && e.command() == "":
		return "set VISUAL or EDITOR first"
	case e.Folder == "":
		return "no folder for drafts is available"
	}
	return ""
}

// CannotOpen returns the reason why the given file cannot be opened in the editor, or "".
func (e *Editor) CannotOpen(file string) string {
	switch {
	case file == "":
		return "the text is not stored in a file"
	case e.Remote:
		return "programs cannot be run here"
	}
	return e.Missing()
}

// StoredIn describes the location of a manuscript's file for the user.
func (e *Editor) StoredIn(file string) string {
	if e.Remote {
		return "your unsent drafts"
	}
	return file
}

// Run returns a command that opens the file of w in the editor. When the editor exits, the command passes the text to
// fn.
func (e *Editor) Run(w Manuscript, fn func(text []byte, err error) tea.Cmd) tea.Cmd {
	err := w.create()
	if err != nil {
		return fn(nil, err)
	}
	give := e.Exec
	if give == nil {
		give = tea.ExecProcess
	}
	// Like Git, run the editor in a shell, because the configured command can contain arguments, for example "code
	// --wait".
	args := append([]string{"-c", e.command() + ` "$@"`, "sh"}, openArgs(e.command(), w.File, w.line())...)
	run := exec.Command("sh", args...) //nolint:noctx // the user ends the editor
	return give(run, func(err error) tea.Msg {
		var text []byte
		if err != nil {
			err = fmt.Errorf("the editor failed: %w; the draft is in %s", err, e.StoredIn(w.File))
		} else {
			text, err = os.ReadFile(w.File)
		}
		return screen.Then{Do: func() tea.Cmd { return fn(text, err) }}
	})
}

// openArgs returns the arguments for opening a file at the given line. If line is 0 or the editor is unknown,
// it returns only the file.
func openArgs(command, file string, line int) []string {
	if line == 0 {
		return []string{file}
	}
	n := strconv.Itoa(line)
	switch filepath.Base(strings.Fields(command)[0]) {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "joe", "jed", "mg", "ne":
		return []string{"+" + n, file}
	case "hx", "helix", "micro", "subl", "zed":
		return []string{file + ":" + n}
	case "code", "codium", "cursor", "windsurf":
		return []string{"--goto", file + ":" + n}
	}
	return []string{file}
}

// Revision returns the manuscript for the next revision of a proposal.
func (e *Editor) Revision(d review.Dossier) Manuscript {
	p := d.Proposal
	text, ext := marshal(d.Revision.Draft)
	file := filepath.Join(e.Folder, fmt.Sprintf("revise-%s-r%d%s", p.ID, p.Revision, ext))
	return Manuscript{ID: p.ID, File: file, Name: wording.Reference(p) + " " + p.Subject.String(), Text: text}
}

// Draft returns the manuscript for a new proposal. The proposal modifies the live definition, or creates a definition
// if live is nil.
func (e *Editor) Draft(s registry.Subject, live *registry.Definition, version int) Manuscript {
	t := proposals.New
	if live != nil {
		t = proposals.Modify
	}
	name := fmt.Sprintf("%s-%s-%s-v%d", t, s.Kind, strings.ReplaceAll(string(s.Layer), "/", "-")+"-"+s.ID, version)
	text, ext := marshal(proposals.Template(t, s, live, version))
	return Manuscript{File: filepath.Join(e.Folder, name+ext), Name: s.String(), Text: text}
}

// Merge returns the manuscript in which the user resolves the conflicts of a rebase.
func (e *Editor) Merge(p proposals.Proposal, conflict *review.RebaseConflict) Manuscript {
	text, ext := marshal(conflict.Draft)
	file := filepath.Join(e.Folder, fmt.Sprintf("rebase-%s-r%d-v%d%s", p.ID, p.Revision, conflict.Live, ext))
	return Manuscript{ID: p.ID, File: file, Name: "Rebase of " + wording.Reference(p) + " " + p.Subject.String(), Text: text}
}

// create writes the initial text to the manuscript's file if the file does not exist.
func (w Manuscript) create() error {
	_, err := os.Stat(w.File)
	if errors.Is(err, fs.ErrNotExist) {
		err = unsent.Write(w.File, w.Text)
	}
	return err
}

// line returns the number of the first line that contains w.At, or 0 if there is none. The editor opens the file at
// this line.
func (w Manuscript) line() int {
	at := strings.TrimSpace(w.At)
	text, err := os.ReadFile(w.File)
	if at == "" || err != nil {
		return 0
	}
	return 1 + slices.IndexFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.Contains(line, at) })
}

// Read returns the current text of the manuscript. It creates the file if necessary.
func (w Manuscript) Read() ([]byte, error) {
	if err := w.create(); err != nil {
		return nil, err
	}
	return os.ReadFile(w.File)
}

// Manuscript is a text that becomes a proposal or a revision once the user has edited it. Its file is deleted
// after the proposal has been sent.
type Manuscript struct {
	ID   proposals.ID // proposal to revise; "" for a new proposal
	File string
	Name string // display name
	Text []byte // initial text, used if the file does not exist
	At   string // content of the line at which the editor opens the file; "" for the beginning
}

// Unchanged reports whether text is the initial text. For a merge, it returns false: the user must at least remove
// the conflict markers.
func (w Manuscript) Unchanged(text []byte) bool {
	return bytes.Equal(text, w.Text) && !strings.HasPrefix(filepath.Base(w.File), "rebase-")
}

// Parse parses the text from the editor. It returns the draft and the problems that prevent its submission. If
// the text is not a draft, the draft is nil.
func (w Manuscript) Parse(text []byte) (draft *proposals.Draft, problems []string) {
	parsed, err := proposals.DecodeFile(w.File, text)
	if len(parsed) != 1 || parsed[0].Doc == nil {
		if err == nil {
			err = errors.New("the text must contain exactly one proposal")
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

// marshal returns the text of a draft and its file extension. The text is Markdown, unless Markdown would lose
// information or contain hidden characters. Otherwise, it is JSON, where hidden characters are escape sequences that
// an editor cannot lose.
func marshal(d proposals.Draft) (text []byte, ext string) {
	if text, err := d.Markdown(); err == nil && isFullyVisible(string(text)) {
		return text, ".md"
	}
	return visible.JSON(d.JSON()), ".json"
}

// isFullyVisible reports whether an editor shows every character of text. It accepts a variation selector after a
// symbol, because the two together are an emoji.
func isFullyVisible(text string) bool {
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
