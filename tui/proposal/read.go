package proposal

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/difflist"
	"toolcrib/tui/markdown"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Loaded is a proposal as it is now, which other pages show too.
type Loaded struct {
	ID      proposals.ID
	Dossier review.Dossier
	Hash    string   // of the definition in it, and of what it does to the test cases
	Unfit   []string // why a draft cannot be submitted, by its own text
	Err     error
}

// then has the page do something with what was read, if it is loaded.
func (pp *Page) then(do func() tea.Cmd) tea.Msg {
	return screen.Then{Page: pp, Do: func() tea.Cmd {
		if !pp.loaded {
			return nil
		}
		return do()
	}}
}

func (pp *Page) loadDossier() tea.Cmd {
	id := pp.id
	return func() tea.Msg {
		d, err := pp.Desk.Show(pp.ctx, pp.Actor, id)
		return Loaded{id, d, contentOf(d), wording.Unfit(d), err}
	}
}

// contentOf returns a hash of everything that the diff of a proposal shows.
func contentOf(d review.Dossier) string {
	before, after := d.Tests()
	return d.Revision.Draft.Definition.Hash() + registry.HashBytes(slices.Concat(before, after))
}

// Tell remembers what the user has opened, or is asked about. What is read again in the
// background does not count: nobody may be looking.
func (o Options) Tell(ctx context.Context, ds ...review.Dossier) tea.Cmd {
	return func() tea.Msg {
		err := o.Desk.Shown(ctx, o.Actor, ds...)
		if errors.Is(err, review.ErrReadOnly) {
			err = nil // nothing can be approved there either
		}
		return screen.Done{Err: err}
	}
}

// comparison names the two definitions to compare, and how many unchanged lines to
// show. It identifies a diff.
type comparison struct {
	from     string // the old side: a version or a revision, whose content never changes
	new      string // content hash
	revision int    // on the new side
	context  int
}

func (pp *Page) makeDiff(what comparison, before, after diff.Content) tea.Cmd {
	return func() tea.Msg {
		fields, err := difflist.Compare(pp.ctx, pp.Desk, before, after)
		list := difflist.New(fields, what.context)
		return pp.then(func() tea.Cmd { return pp.diffMade(what, list, err) })
	}
}

func (pp *Page) loadPrompts(digest string) tea.Cmd {
	if pp.dossier.Proposal.Subject.Kind.InFiles() {
		d := pp.dossier
		return func() tea.Msg {
			changes, counts, err := contextOf(d, pp.Counter)
			return pp.then(func() tea.Cmd { return pp.promptsLoaded(digest, changes, counts, err) })
		}
	}
	id := pp.id
	scene := impact.Scene{Layer: pp.Layer, Where: impact.ReferenceContext(), Context: prompt.Reference()}
	return func() tea.Msg {
		var counts []promptCount
		previews, err := pp.Desk.Preview(pp.ctx, []proposals.ID{id}, "", scene)
		changes := screen.ChangedPrompts(previews)
		if err == nil {
			counts, err = countPrompts(pp.Counter, changes)
		}
		return pp.then(func() tea.Cmd { return pp.promptsLoaded(digest, changes, counts, err) })
	}
}

// countPrompts measures each prompt now and after. Channels often get the same text,
// which is counted once.
func countPrompts(counter *tokens.Counter, changes []screen.PromptChange) ([]promptCount, error) {
	var texts []string
	sizes := map[string]size{}
	for _, c := range changes {
		for _, text := range []string{c.Now, c.After} {
			if _, known := sizes[text]; !known {
				sizes[text] = size{}
				texts = append(texts, text)
			}
		}
	}
	counts, err := counter.CountAll(texts)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		sizes[text] = size{utf8.RuneCountInString(text), counts[i].O200k, counts[i].Cl100k}
	}
	out := make([]promptCount, len(changes))
	for i, c := range changes {
		out[i] = promptCount{now: sizes[c.Now], after: sizes[c.After]}
	}
	return out, nil
}

func (pp *Page) loadVersions(s registry.Subject) tea.Cmd {
	return func() tea.Msg {
		// There are none while nothing is live.
		versions, _ := pp.Registry.Versions(pp.ctx, s, 0, screen.MaxVersions)
		return pp.then(func() tea.Cmd {
			pp.versions = versions
			pp.pagers[tabHistory].Replace(pp.history())
			return nil
		})
	}
}

// resumed opens the dialog of an unsent text once its proposal is loaded.
func (pp *Page) resumed() tea.Cmd {
	t := pp.resume
	pp.resume = nil
	name := map[string]string{"comment": "comment", "approve": "approve", "changes": "needs-changes", "reject": "reject", "waive": "waive"}[t.Kind]
	switch t.Kind {
	case "comment":
		if at, ok := anchorOf(t.File); ok {
			return pp.askCommentAt(at)
		}
	case "waive":
		pp.turn(tabAssessment)
		for i, s := range pp.dossier.Standing {
			if strings.Contains(t.File, s.PassageHash()[:8]) {
				pp.pagers[tabAssessment].SetStop(i)
			}
		}
	}
	for _, k := range pp.Keys() {
		if k.Name != name {
			continue
		}
		if why := k.Why(); why != "" {
			return pp.Shell.Say(screen.Warning, "Cannot send it: %s. The draft is in %s", why, pp.KeptIn(t.File))
		}
		return k.Do()
	}
	return nil
}

// draftOf names the file of a comment by what it is on.
func draftOf(id proposals.ID, at review.Anchor) string {
	name := "comment-" + string(id)
	if at.Field == "" {
		return name
	}
	long := name + "@" + url.PathEscape(at.Field) + "@" + strconv.Itoa(at.Line) + "@" + strconv.Itoa(at.Revision)
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

// switchRendered changes between rendered Markdown and the text as it is
// written.
func (pp *Page) switchRendered() tea.Cmd {
	if pp.Tab == tabPrompt {
		pp.Texts.Prompts = !pp.Texts.Prompts
	} else {
		pp.Texts.Raw = !pp.Texts.Raw
	}
	pp.fill()
	return nil
}

func (pp *Page) cannotRender() string {
	switch {
	case !pp.loaded:
		return "it is still loading"
	case pp.Tab == tabDiff || pp.Tab == tabHistory:
		return "the tabs Diff and History show texts as they are"
	case pp.Tab != tabPrompt:
		return ""
	case len(pp.prompts.changes) == 0:
		return "no channel prompt changes"
	case pp.prompts.shown() == promptDiff:
		return "diffs are not rendered; p shows the whole prompt"
	case len(pp.prompts.text()) > markdown.MaxBytes:
		return "the prompt has more than " + strconv.Itoa(markdown.MaxBytes/1000) + " KB and is shown raw"
	}
	return ""
}

// howShown returns how the prompt on the screen is shown.
func (pp *Page) howShown() string {
	s := &pp.prompts
	how := []string{s.shown().String()}
	if s.shown() != s.view {
		how[0] = "unchanged"
	}
	if s.shown() == promptDiff || !pp.Texts.Prompts {
		return how[0]
	}
	r := pp.Texts.Of(s.text(), pp.WidthOf(pp.frame.Layout, tabPrompt))
	switch {
	case r == nil:
		how = append(how, "raw: too long to render")
	case !r.Done():
		how = append(how, "rendered …")
	case r.AsWritten:
		how = append(how, "rendered; raw where rendering would lose text")
	default:
		how = append(how, "rendered; r shows it raw")
	}
	return strings.Join(how, ", ")
}
