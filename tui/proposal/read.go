package proposal

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/difflist"
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

// result has the page do something with what was read, if it is loaded.
func (pp *Page) result(do func() tea.Cmd) tea.Msg {
	return screen.Result{Page: pp, Do: pp.do(func() tea.Cmd {
		if !pp.loaded {
			return nil
		}
		return do()
	})}
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
		return pp.result(func() tea.Cmd { return pp.diffMade(what, list, err) })
	}
}

func (pp *Page) loadPrompts(digest string) tea.Cmd {
	id := pp.id
	scene := review.Scene{Layer: pp.Layer, Where: review.ReferenceContext(), Context: prompt.Reference()}
	return func() tea.Msg {
		var counts []promptCount
		previews, err := pp.Desk.Preview(pp.ctx, []proposals.ID{id}, "", scene)
		changes := screen.ChangedPrompts(previews)
		if err == nil {
			counts, err = countPrompts(pp.Counter, changes)
		}
		return pp.result(func() tea.Cmd { return pp.promptsLoaded(digest, changes, counts, err) })
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
		return pp.result(func() tea.Cmd {
			pp.versions = versions
			pp.pagers[tabHistory].Replace(pp.history())
			return nil
		})
	}
}
