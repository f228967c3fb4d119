package cli

import (
	"slices"

	"toolcrib/history/diff"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/review"
)

// docPreview is the prompt of one channel of an agent: the present one, or with
// proposals the one after approval, and then Before, Change and Diff describe the
// difference.
type docPreview struct {
	Agent   string `json:"agent"`
	Subject string `json:"subject"`
	View    string `json:"view"` // the layer in whose merged view it was rendered
	Channel string `json:"channel"`
	docPrompt
	// Gone reports that there would be no such prompt any more; Untouched that
	// the proposals do not change it.
	Gone      bool       `json:"gone,omitempty"`
	Untouched bool       `json:"untouched,omitempty"`
	Before    *docPrompt `json:"before,omitempty"`
	Change    *docCost   `json:"change,omitempty"`
	Diff      *[]docHunk `json:"diff,omitempty"` // from Before to the text
}

// docCost is the cost of a prompt, or how much more than another.
type docCost struct {
	Chars  int       `json:"chars"`
	Tokens docTokens `json:"tokens"`
}

type docPrompt struct {
	Text string `json:"text"`
	docCost
	Hash string   `json:"hash"` // SHA-256 of the text
	Cuts []docCut `json:"cuts"`
}

type docTokens struct {
	O200k  int `json:"o200k_base"`
	Cl100k int `json:"cl100k_base"`
}

// docCut is a place where a host cuts a text.
type docCut struct {
	Kind    string `json:"kind"`
	Tool    string `json:"tool,omitempty"`
	Limit   int    `json:"limit"`
	Length  int    `json:"length"`
	Message string `json:"message"`
}

type docOnePreview struct {
	docHead
	docPreview
}

type docPreviewList struct {
	docHead
	Previews []docPreview `json:"previews"`
}

func newDocPrompt(o prompt.Output, c tokens.Counts) docPrompt {
	return docPrompt{
		Text: o.Text, docCost: docCost{Chars: o.Chars, Tokens: docTokens{O200k: c.O200k, Cl100k: c.Cl100k}}, Hash: prompt.Hash(o.Text),
		Cuts: mapped(o.Cuts, func(cut prompt.Cut) docCut {
			return docCut{Kind: string(cut.Kind), Tool: cut.Tool, Limit: cut.Limit, Length: cut.Length, Message: cut.String()}
		}),
	}
}

// newDocPreviews counts the tokens of all previews together: the channels of an
// agent are mostly the same text.
func newDocPreviews(previews []review.Preview, compared bool) ([]docPreview, error) {
	var outputs []prompt.Output
	for _, p := range previews {
		outputs = slices.Concat(outputs, p.Now, p.Then)
	}
	counts, err := tokens.NewCounter().CountAll(mapped(outputs, func(o prompt.Output) string { return o.Text }))
	if err != nil {
		return nil, err
	}
	var docs []docPreview
	for _, p := range previews {
		var channels []string
		prompts := func(outputs []prompt.Output) map[string]docPrompt {
			all := map[string]docPrompt{}
			for _, o := range outputs {
				all[o.Channel], counts = newDocPrompt(o, counts[0]), counts[1:]
				if !slices.Contains(channels, o.Channel) {
					channels = append(channels, o.Channel)
				}
			}
			return all
		}
		now := prompts(p.Now)
		then := prompts(p.Then)
		for _, c := range channels {
			doc := docPreview{Agent: p.Agent.ID, Subject: p.Agent.String(), View: string(p.Layer), Channel: c, docPrompt: now[c]}
			if compared {
				doc.compare(now, then)
			}
			docs = append(docs, doc)
		}
	}
	return docs, nil
}

// compare makes d the preview after approval, compared with the present one.
func (d *docPreview) compare(now, then map[string]docPrompt) {
	before, was := now[d.Channel]
	after, will := then[d.Channel]
	if !will {
		after = docPrompt{Hash: prompt.Hash(""), Cuts: []docCut{}}
	}
	d.docPrompt, d.Gone = after, !will
	if was {
		d.Before = &before
	}
	d.Untouched = was && will && before.Hash == after.Hash
	d.Change = &docCost{
		Chars:  after.Chars - before.Chars,
		Tokens: docTokens{O200k: after.Tokens.O200k - before.Tokens.O200k, Cl100k: after.Tokens.Cl100k - before.Tokens.Cl100k},
	}
	hunks := diff.Lines(before.Text, after.Text).Unified(3)
	for i, h := range hunks {
		hunks[i] = h.Words()
	}
	doc := newDocHunks(hunks)
	d.Diff = &doc
}

// newDocOwnPreview is a preview for the agent of an MCP client: the new text and
// its changes, without the present text.
func newDocOwnPreview(p review.Preview) (any, error) {
	docs, err := newDocPreviews([]review.Preview{p}, true)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0:
		return nil, notFoundf("a prompt of %s", p.Agent)
	}
	doc := docs[0]
	doc.Before = nil
	return struct {
		docPreview
		Untouched bool `json:"untouched"` // also when it is false
	}{doc, doc.Untouched}, nil
}
