package builtin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/prompt"
)

// Known is the stored data of a user that prompts are rendered from.
type Known struct {
	Instructions string // standing instructions, as update_instructions keeps them
	Notes        string // memories, one a line, the most important first
}

// maxKnown limits how many of the newest memories are looked at for the notes.
const maxKnown = 200

// Known returns an owner's stored data that is valid at a time. The notes are as
// many whole memories as a prompt has room for, by importance, then newest first.
func (p *Provider) Known(ctx context.Context, of Owner, at time.Time) (Known, error) {
	var known Known
	err := p.store.ReadAssistant(ctx, of, at.UTC().Truncate(time.Microsecond), func(r Reader) error {
		var err error
		if known.Instructions, err = r.Instructions(ctx); err != nil {
			return err
		}
		memories, err := r.Memories(ctx, MemoryFilter{}, maxKnown)
		known.Notes = notes(memories)
		return err
	})
	return known, err
}

func notes(memories []Memory) string {
	memories = slices.Clone(memories)
	slices.SortStableFunc(memories, func(a, b Memory) int { return cmp.Compare(b.Importance, a.Importance) })
	var lines []string
	room := prompt.MaxMemoryNotes
	for _, m := range memories {
		line := "- " + strings.Join(strings.Fields(m.Content), " ")
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
