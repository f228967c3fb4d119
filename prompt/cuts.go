package prompt

import (
	"fmt"
	"unicode/utf8"
)

// Where texts end that are too long.
const (
	TelegramLimit    = 4096     // characters of a message: core.telegram.org/bots/api#sendmessage
	DescriptionLimit = 2048     // characters of a tool's description, in clients that keep no more of it
	PromptLimit      = 16 << 20 // bytes of a prompt, here: a short template may ask for any amount
	MaxOfKind        = 200      // tools besides the core that a prompt lists because the allow-list has their kind
)

// CutKind is the kind of a cut.
type CutKind string

// The kinds of cut. The first two would be made by others; the last is made in
// Output.Text. CutMessage is about what the agent sends: the model reads the
// whole prompt, Telegram never sees it.
const (
	CutMessage     CutKind = "telegram_message"
	CutDescription CutKind = "tool_description"
	CutPrompt      CutKind = "prompt"
)

// A Cut is a place where a text is or would be cut off.
type Cut struct {
	Kind   CutKind
	Tool   string // the id of the tool whose description it is
	Limit  int    // how much is kept, in characters; in bytes for CutPrompt
	Length int    // how much there is, in the same unit; 0 for CutMessage, as nothing was sent yet
}

// String describes the cut in a sentence.
func (c Cut) String() string {
	switch c.Kind {
	case CutDescription:
		return fmt.Sprintf("The description of %s has %d characters; some clients cut it at %d.", c.Tool, c.Length, c.Limit)
	case CutPrompt:
		return fmt.Sprintf("The template asks for %d bytes; the prompt ends before the placeholder that passes %d.", c.Length, c.Limit)
	case CutMessage:
	}
	return fmt.Sprintf("Telegram takes messages of at most %d characters: that is for what the agent sends, not for its prompt.", c.Limit)
}

// descriptionCuts returns the cuts in the tools' descriptions.
func descriptionCuts(tools []Tool) []Cut {
	var cuts []Cut
	for _, t := range tools {
		if len(t.Description) <= DescriptionLimit { // bytes are never fewer than characters
			continue
		}
		if n := utf8.RuneCountInString(t.Description); n > DescriptionLimit {
			cuts = append(cuts, Cut{Kind: CutDescription, Tool: t.ID, Limit: DescriptionLimit, Length: n})
		}
	}
	return cuts
}

// fit returns as much of the template as can be filled within PromptLimit, and
// how many bytes the whole of it would take.
func fit(template string, values map[string]string) (fitting string, size int) {
	fitting, size = template, len(template)
	for _, u := range Uses(template) {
		size += len(values[u.Name])
		if size > PromptLimit && len(fitting) == len(template) {
			fitting = template[:u.Offset]
		}
	}
	return fitting, size
}
