package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// Manuscript is a proposal that is written in an editor of the user's. Its file
// stays until it was sent.
type Manuscript struct {
	ID   proposals.ID // that is revised, "" for a new one
	File string
	Name string // what people know it as
	Text []byte // what it begins with, unless the file is there from before
}

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
