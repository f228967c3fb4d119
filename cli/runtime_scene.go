package cli

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"toolcrib/prompt"
	"toolcrib/registry/jsondoc"
)

// sceneFlags hold the context that a prompt is rendered with: the time, the user,
// the channel. A flag wins over the same value in the file.
type sceneFlags struct {
	file, at, zone, lastMessage          string
	userInstructions, memoryNotes, start string
}

func (s *sceneFlags) register(set *pflag.FlagSet) {
	set.StringVar(&s.at, "at", "", "render it for `TIME` (RFC 3339; default: now)")
	set.StringVar(&s.zone, "zone", "", "the user's time zone, by its IANA `NAME` (default: the agent's)")
	set.StringVar(&s.file, "context", "", "read the user data from `FILE`, - for standard input")
	set.StringVar(&s.userInstructions, "user-instructions", "", "the user's instructions")
	set.StringVar(&s.memoryNotes, "memory-notes", "", "the memory notes")
	set.StringVar(&s.lastMessage, "last-message", "", "when the user last wrote (RFC 3339)")
	set.StringVar(&s.start, "bootstrap-context", "", "text looked up beforehand")
}

// sceneFile is a context file: one JSON object, every key of which may be
// missing.
type sceneFile struct {
	At               string `json:"at"`   // RFC 3339
	Zone             string `json:"zone"` // IANA name
	UserInstructions string `json:"user_instructions"`
	MemoryNotes      string `json:"memory_notes"`
	LastMessageAt    string `json:"last_message_at"` // RFC 3339
	BootstrapContext string `json:"bootstrap_context"`
}

// context returns what the flags and the file say.
func (s *sceneFlags) context(ctx context.Context, a *app) (prompt.Context, error) {
	var f sceneFile
	if s.file != "" {
		data, err := a.readAll(ctx, s.file)
		if err != nil {
			return prompt.Context{}, err
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err == nil {
			err = jsondoc.Bind(n, jsondoc.Root, &f).Err()
		}
		if err != nil {
			return prompt.Context{}, usagef("%s is no context: %v", s.file, err)
		}
	}
	for _, override := range []struct {
		dst  *string
		flag string
	}{
		{&f.At, s.at},
		{&f.Zone, s.zone},
		{&f.UserInstructions, s.userInstructions},
		{&f.MemoryNotes, s.memoryNotes},
		{&f.LastMessageAt, s.lastMessage},
		{&f.BootstrapContext, s.start},
	} {
		if override.flag != "" {
			*override.dst = override.flag
		}
	}
	return f.context(a.env.Now())
}

func (f sceneFile) context(now time.Time) (prompt.Context, error) {
	c := prompt.Context{
		Now: now, Zone: f.Zone, UserInstructions: f.UserInstructions, MemoryNotes: f.MemoryNotes, BootstrapContext: f.BootstrapContext,
	}
	at, err := parseTime(f.At)
	if err != nil {
		return c, err
	}
	if !at.IsZero() {
		c.Now = at
	}
	last, err := parseTime(f.LastMessageAt)
	if err == nil && !last.IsZero() {
		c.LastMessageAt = &last
	}
	return c, err
}
