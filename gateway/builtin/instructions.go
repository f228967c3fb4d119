package builtin

import (
	"context"
	"strings"
	"unicode/utf8"
)

// maxInstructions limits how many characters of standing instructions reach an
// agent.
const maxInstructions = 2_000

func updateInstructions(ctx context.Context, c call) (any, error) {
	in := struct {
		Instructions *string `json:"instructions"`
	}{}
	ps := decode(c.Args, &in)
	text := ""
	if in.Instructions == nil {
		ps.missing("instructions", "the complete new text; an empty one removes all instructions")
	} else {
		text = strings.TrimSpace(*in.Instructions)
		ps.short("instructions", text, maxInstructions)
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	err := c.write(ctx, func(w Writer) error { return w.SetInstructions(ctx, text) })
	return struct {
		Instructions string `json:"instructions"`
		Characters   int    `json:"characters"`
	}{text, utf8.RuneCountInString(text)}, err
}
