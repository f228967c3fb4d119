package tui

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// draftText is an unsent text, as its file name and content describe it.
type draftText struct {
	file  string // name in the folder
	kind  string // of what: comment, approve, changes, reject, waive, restore, revise, rebase, new, modify
	id    proposals.ID
	about string // what people know it as
	begin string // how it begins
	at    time.Time
}

// draftsPage lists the unsent texts, newest first.
type draftsPage struct {
	textPage
	texts []draftText
	read  bool
}

func newDraftsPage(m *Model) *draftsPage { return &draftsPage{textPage: newTextPage(m)} }

func (k *draftsPage) place() string { return placeDrafts }

func (k *draftsPage) reload(m *Model) tea.Cmd { return m.readDrafts(false) }

func (k *draftsPage) restyle(m *Model) {
	k.look(m.theme)
	k.lay(m)
}

func (k *draftsPage) update(m *Model, msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(draftsMsg); ok {
		k.draftsListed(m, msg)
	}
	return nil
}

// draftsMsg carries the list of unsent texts.
type draftsMsg struct {
	texts []draftText
	start bool // the program has just begun
	err   error
}

// idLength is how long the id of a proposal is.
const idLength = len("00000000-0000-0000-0000-000000000000")

// readDrafts lists the files in the drafts folder.
func (m *Model) readDrafts(start bool) tea.Cmd {
	dir, desk, actor := m.cfg.Drafts, m.cfg.Desk, m.cfg.Actor
	if dir == "" {
		return nil
	}
	return func() tea.Msg {
		files, err := os.ReadDir(dir)
		if os.IsNotExist(err) {
			return draftsMsg{start: start}
		}
		if err != nil {
			return draftsMsg{start: start, err: err}
		}
		var texts []draftText
		for _, f := range files {
			info, err := f.Info()
			if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(f.Name(), ".") {
				continue
			}
			t := draftText{file: f.Name(), at: info.ModTime()}
			t.kind, t.about, _ = strings.Cut(strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())), "-")
			if len(t.about) >= idLength {
				t.id = proposals.ID(t.about[:idLength])
				if d, err := desk.Show(m.ctx, actor, t.id); err == nil {
					t.about = wording.Reference(d.Proposal) + " " + d.Proposal.Subject.String()
				} else {
					t.id = ""
				}
			}
			if t.about == draftMarked {
				t.about = "several marked proposals"
			}
			t.begin = beginning(filepath.Join(dir, f.Name()))
			texts = append(texts, t)
		}
		slices.SortFunc(texts, func(a, b draftText) int { return b.at.Compare(a.at) })
		return draftsMsg{texts, start, nil}
	}
}

// beginning returns the first words of a file.
func beginning(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 300)
	n, _ := f.Read(buf) // what cannot be read does not begin with anything
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(buf[:n]), "")), " ")
}

// draftsListed announces the unsent texts after a start, and shows them.
func (k *draftsPage) draftsListed(m *Model, msg draftsMsg) {
	switch {
	case msg.err != nil:
		m.fail(msg.err)
		return
	case msg.start && len(msg.texts) > 0:
		m.say(remark, "%s. Press D to see %s", wording.Count(len(msg.texts), "unsent draft", "unsent drafts"), map[bool]string{true: "it", false: "them"}[len(msg.texts) == 1])
	}
	k.texts, k.read = msg.texts, true
	k.lay(m)
}

func (k *draftsPage) lay(m *Model) {
	page := prose.New(m.theme)
	if len(k.texts) == 0 {
		page.Blank()
		page.Faint("", "No unsent drafts.")
	}
	for _, t := range k.texts {
		page.Stop()
		page.Item(draw.Of(m.theme.Strong, " "+draw.Pad(draw.Show(draftKind(t.kind)), 15)).Add(m.theme.Faint, screen.Stamp(t.at)+"  "), t.about)
		page.Faint("                ", t.begin)
		page.Blank()
	}
	if m.cfg.Drafts != "" && !m.cfg.Remote {
		page.Blank()
		page.Faint("", "Folder: "+m.cfg.Drafts)
	}
	k.pager.Replace(page.Rows())
}

// draftKind names the kind of an unsent text.
func draftKind(kind string) string {
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

func (k *draftsPage) tabs(m *Model) (left, right draw.Line) {
	return draw.Of("", " ").Add(m.theme.Accent, "▎Unsent drafts").Add(m.theme.Faint, "  "+draw.Show(wording.Count(len(k.texts), "draft", "drafts"))), nil
}

func draftsKeys() []key {
	return append([]key{
		{name: "draft-open", keys: []string{"enter"}, label: "continue", help: "Continue the selected draft", do: on((*draftsPage).openDraft), off: ask((*draftsPage).noDraftSelected)},
		{name: "draft-drop", keys: []string{"x"}, label: "delete", help: "Delete the selected draft", do: on((*draftsPage).askDropDraft), off: ask((*draftsPage).noDraftSelected)},
	}, textKeys()...)
}

func (k *draftsPage) noDraftSelected(m *Model) string {
	if n := k.pager.Stop(); n < 0 || n >= len(k.texts) {
		return "nothing is listed"
	}
	return ""
}

func (m *Model) noDrafts() string {
	if m.cfg.Drafts == "" {
		return "no folder for drafts is available"
	}
	return ""
}

// openDraft opens the selected text where it was written: in the editor or in
// its dialog.
func (k *draftsPage) openDraft(m *Model) tea.Cmd {
	t := k.texts[k.pager.Stop()]
	switch t.kind {
	case "new", "modify", "revise", "rebase":
		if why := m.noEditor(); why != "" {
			m.say(warning, "enter: %s", why)
			return nil
		}
		return m.edit(Manuscript{t.id, filepath.Join(m.cfg.Drafts, t.file), t.about, nil})
	case "comment", "approve", "changes", "reject", "waive":
	default:
		m.say(warning, "It is in %s", m.cfg.KeptIn(filepath.Join(m.cfg.Drafts, t.file)))
		return nil
	}
	if strings.HasSuffix(strings.TrimSuffix(t.file, filepath.Ext(t.file)), "-"+draftMarked) {
		m.say(remark, "Mark its proposals in the queue; a, c or x then restores the draft")
		m.open(m.queue)
		return nil
	}
	if t.id == "" {
		m.say(warning, "Its proposal is not in this database; the draft is in %s", m.cfg.KeptIn(filepath.Join(m.cfg.Drafts, t.file)))
		return nil
	}
	pp := m.newProposalPage(proposals.Proposal{ID: t.id})
	pp.resume = &t
	return m.show(pp)
}

// resumed opens the dialog of an unsent text once its proposal is loaded.
func (pp *proposalPage) resumed(m *Model) tea.Cmd {
	t := pp.resume
	pp.resume = nil
	name := map[string]string{"comment": "comment", "approve": "approve", "changes": "needs-changes", "reject": "reject", "waive": "waive"}[t.kind]
	switch t.kind {
	case "comment":
		if at, ok := anchorOf(t.file); ok {
			return pp.askCommentAt(m, at)
		}
	case "waive":
		pp.turn(m, tabAssessment)
		for i, s := range pp.dossier.Standing {
			if strings.Contains(t.file, s.PassageHash()[:8]) {
				pp.pagers[tabAssessment].SetStop(i)
			}
		}
	}
	for _, k := range proposalKeys() {
		if k.name != name {
			continue
		}
		if why := k.why(m); why != "" {
			m.say(warning, "Cannot send it: %s. The draft is in %s", why, m.cfg.KeptIn(filepath.Join(m.cfg.Drafts, t.file)))
			return nil
		}
		return k.do(m)
	}
	return nil
}

// draftOf names the file of a comment by what it is on.
func draftOf(id proposals.ID, at review.Anchor) string {
	name := "comment-" + string(id)
	if at.Field == "" {
		return name
	}
	long := name + "@" + url.PathEscape(at.Field) + "@" + itoa(at.Line) + "@" + itoa(at.Revision)
	if len(long) > 200 {
		return name
	}
	return long
}

// anchorOf reads what draftOf wrote.
func anchorOf(file string) (review.Anchor, bool) {
	parts := strings.Split(strings.TrimSuffix(file, filepath.Ext(file)), "@")
	if len(parts) != 4 {
		return review.Anchor{}, false
	}
	field, err := url.PathUnescape(parts[1])
	line, errLine := strconv.Atoi(parts[2])
	revision, errRevision := strconv.Atoi(parts[3])
	return review.Anchor{Field: field, Line: line, Revision: revision}, err == nil && errLine == nil && errRevision == nil
}

func (k *draftsPage) askDropDraft(m *Model) tea.Cmd {
	t := k.texts[k.pager.Stop()]
	return m.ask(&dialog{
		form: proposals.Form{Title: "Delete the draft", Verb: "delete it"},
		content: func(_ *Model, page *prose.Page) {
			page.Field(draftKind(t.kind), t.about)
			page.Faint("", t.begin)
		},
		run: func(m *Model, _ string) tea.Cmd { return then(m.dropDraft(t.file), m.readDrafts(false)) },
	})
}
