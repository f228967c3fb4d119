// This file defines the documents about prompts and what proposals change in them.

package document

import (
	"slices"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

// Preview is the prompt of one channel of an agent: the current one or, with proposals, the one after approval. Before,
// Change, and Diff then describe the difference.
type Preview struct {
	Agent   string `json:"agent"`
	Subject string `json:"subject"`
	View    string `json:"view"` // the layer in whose merged view it was rendered
	Channel string `json:"channel"`
	Compared
}

// Compared is a text and how proposals change it.
type Compared struct {
	Prompt
	// Gone means that the text would no longer exist, Untouched that the proposals do not
	// change it.
	Gone      bool    `json:"gone,omitempty"`
	Untouched bool    `json:"untouched,omitempty"`
	Before    *Prompt `json:"before,omitempty"`
	Change    *Cost   `json:"change,omitempty"`
	Diff      *[]Hunk `json:"diff,omitempty"` // changes from Before to the text
}

// Cost is the cost of a prompt, or a difference of costs.
type Cost struct {
	Chars  int           `json:"chars"`
	Tokens tokens.Counts `json:"tokens"`
}

// Prompt is the prompt of a channel and its cost.
type Prompt struct {
	Text string `json:"text"`
	Cost
	Hash string `json:"hash"` // SHA-256 of the text
	Cuts []Cut  `json:"cuts"`
}

// Cut is a position where a host truncates a text.
type Cut struct {
	Kind    string `json:"kind"`
	Tool    string `json:"tool,omitempty"`
	Limit   int    `json:"limit"`
	Length  int    `json:"length"`
	Message string `json:"message"`
}

// OnePreview is the preview of one channel.
type OnePreview struct {
	output.Head
	Preview
}

// PreviewList is the previews of several channels, or agents.
type PreviewList struct {
	output.Head
	Previews []Preview `json:"previews"`
	// Files lists the context that the proposed skills and instruction files add for a coding agent.
	Files []Loads `json:"files,omitempty"`
}

func newDocPrompt(o prompt.Output, c tokens.Counts) Prompt {
	return Prompt{
		Text: o.Text, Cost: Cost{o.Chars, c}, Hash: prompt.Hash(o.Text),
		Cuts: lists.Map(o.Cuts, func(cut prompt.Cut) Cut {
			return Cut{Kind: string(cut.Kind), Tool: cut.Tool, Limit: cut.Limit, Length: cut.Length, Message: cut.String()}
		}),
	}
}

// NewPreviews counts the tokens of all previews together, because most channels of an agent share the same text.
func NewPreviews(previews []impact.Preview, compared bool) ([]Preview, error) {
	var outputs []prompt.Output
	for _, p := range previews {
		outputs = slices.Concat(outputs, p.Now, p.Then)
	}
	counts, err := tokens.NewCounter().CountAll(lists.Map(outputs, func(o prompt.Output) string { return o.Text }))
	if err != nil {
		return nil, err
	}
	var docs []Preview
	for _, p := range previews {
		var channels []string
		prompts := func(outputs []prompt.Output) map[string]Prompt {
			all := map[string]Prompt{}
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
			doc := Preview{Agent: p.Agent.ID, Subject: p.Agent.String(), View: string(p.Layer), Channel: c}
			before, was := now[c]
			doc.Prompt = before
			if compared {
				after, will := then[c]
				doc.compare(before, after, was, will)
			}
			docs = append(docs, doc)
		}
	}
	return docs, nil
}

// compare sets d to the text after approval, compared with the current one. was and will indicate whether these exist.
func (d *Compared) compare(before, after Prompt, was, will bool) {
	if !will {
		after = Prompt{Hash: prompt.Hash(""), Cuts: []Cut{}}
	}
	d.Prompt, d.Gone = after, !will
	if was {
		d.Before = &before
	}
	d.Untouched = was && will && before.Hash == after.Hash
	d.Change = new(after.less(before.Cost))
	hunks := diff.Lines(before.Text, after.Text).Unified(3)
	for i, h := range hunks {
		hunks[i] = h.Words()
	}
	d.Diff = new(NewHunks(hunks))
}

// NewOwnPreview returns a preview for the agent of an MCP client. It contains the new text and its changes, but not the
// current text.
func NewOwnPreview(p impact.Preview) (any, error) {
	docs, err := NewPreviews([]impact.Preview{p}, true)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0:
		return nil, command.NotFoundf("a prompt of %s", p.Agent)
	}
	doc := docs[0]
	doc.Before = nil
	return struct {
		Preview
		Untouched bool `json:"untouched"` // present even if false
	}{doc, doc.Untouched}, nil
}

// Where is the context in which tools were resolved.
type Where struct {
	Local           bool `json:"local"`
	Embedding       bool `json:"embedding"`
	IncludeDeferred bool `json:"include_deferred"`
}

// NewWhere returns the document of a context.
func NewWhere(c registry.Context) Where { return Where{c.Local, c.Embedding, c.IncludeDeferred} }

// Becomes describes the change to the text in one word.
func (d Compared) Becomes() string {
	switch {
	case d.Untouched:
		return "untouched"
	case d.Gone:
		return "gone"
	case d.Before == nil:
		return "new"
	}
	return "changed"
}
