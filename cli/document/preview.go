// This file defines the documents that contain prompts and the changes that proposals make to prompts.

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

// Preview is the prompt of an agent on one channel. Without proposals, it is the current prompt. With proposals, it
// is the prompt after their approval, and Before, Change, and Diff compare it with the current prompt.
type Preview struct {
	Agent   string `json:"agent"`
	Subject string `json:"subject"`
	View    string `json:"view"` // layer of the registry in which the tools of the prompt were resolved
	Channel string `json:"channel"`
	Compared
}

// Compared is a text after the approval of the proposals, compared with the text before it.
type Compared struct {
	Prompt
	// Gone is true if the text no longer exists after the approval. Untouched is true if the proposals do not change
	// the text.
	Gone      bool    `json:"gone,omitempty"`
	Untouched bool    `json:"untouched,omitempty"`
	Before    *Prompt `json:"before,omitempty"`
	Change    *Cost   `json:"change,omitempty"`
	Diff      *[]Hunk `json:"diff,omitempty"` // changes from the text before the proposals to this text
}

// Cost is the length of a text in characters and tokens, or the difference between two lengths.
type Cost struct {
	Chars  int           `json:"chars"`
	Tokens tokens.Counts `json:"tokens"`
}

// Prompt is a text that enters the context of a model, such as the prompt of a channel, with its cost.
type Prompt struct {
	Text string `json:"text"`
	Cost
	Hash string `json:"hash"` // SHA-256 of the text
	Cuts []Cut  `json:"cuts"`
}

// Cut describes a text that a host program truncates, because the text exceeds a limit.
type Cut struct {
	Kind    string `json:"kind"`
	Tool    string `json:"tool,omitempty"`
	Limit   int    `json:"limit"`
	Length  int    `json:"length"`
	Message string `json:"message"`
}

// OnePreview is the document with the preview of a single channel.
type OnePreview struct {
	output.Head
	Preview
}

// PreviewList is the document with the previews of several channels or agents.
type PreviewList struct {
	output.Head
	Previews []Preview `json:"previews"`
	// Files describes the text that the proposed skills and instruction files add to the context of a coding agent.
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

// NewPreviews returns a document for each agent and channel in previews. If compared is true, each document compares
// the prompt after the approval with the current prompt. NewPreviews counts the tokens of all prompts together, because
// counting each distinct text only once saves time.
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

// compare sets d to newPrompt, with its differences from oldPrompt. existed and exists report whether the text exists
// before and after the approval.
func (d *Compared) compare(oldPrompt, newPrompt Prompt, existed, exists bool) {
	if !exists {
		newPrompt = Prompt{Hash: prompt.Hash(""), Cuts: []Cut{}}
	}
	d.Prompt, d.Gone = newPrompt, !exists
	if existed {
		d.Before = &oldPrompt
	}
	d.Untouched = existed && exists && oldPrompt.Hash == newPrompt.Hash
	d.Change = new(newPrompt.less(oldPrompt.Cost))
	hunks := diff.Lines(oldPrompt.Text, newPrompt.Text).Unified(3)
	d.Diff = new(NewHunks(lists.Map(hunks, diff.Hunk.Words)))
}

// NewOwnPreview returns the preview for an MCP client that requests the prompt of the agent that it acts as. The
// document contains the new prompt and its changes, but not the current prompt.
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
		Untouched bool `json:"untouched"` // shadows the field of Preview, which is omitted if false
	}{doc, doc.Untouched}, nil
}

// Where contains the conditions under which the tools of an agent were resolved.
type Where struct {
	Local           bool `json:"local"`
	Embedding       bool `json:"embedding"`
	IncludeDeferred bool `json:"include_deferred"`
}

// NewWhere converts c to a document.
func NewWhere(c registry.Context) Where { return Where{c.Local, c.Embedding, c.IncludeDeferred} }

// Becomes returns the kind of the change: untouched, gone, new, or changed.
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
