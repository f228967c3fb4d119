package preview

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/prompt"
	"toolcrib/registry/jsondoc"
)

// sceneFlags hold the context that a prompt is rendered with: the time, the user,
// the channel. A flag wins over the same value in the file.
type sceneFlags struct {
	file string
	sceneFile
}

func (s *sceneFlags) register(set *pflag.FlagSet) {
	set.StringVar(&s.At, "at", "", "render it for `TIME` (RFC 3339; default: now)")
	set.StringVar(&s.Zone, "zone", "", "the user's time zone, by its IANA `NAME` (default: the agent's)")
	set.StringVar(&s.file, "context", "", "read the user data from `FILE`, - for standard input")
	set.StringVar(&s.UserInstructions, "user-instructions", "", "the user's instructions")
	set.StringVar(&s.MemoryNotes, "memory-notes", "", "the memory notes")
	set.StringVar(&s.LastMessageAt, "last-message", "", "when the user last wrote (RFC 3339)")
	set.StringVar(&s.BootstrapContext, "bootstrap-context", "", "text looked up beforehand")
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
func (s *sceneFlags) context(ctx context.Context, a *command.App) (prompt.Context, error) {
	var f sceneFile
	if s.file != "" {
		data, err := a.ReadAll(ctx, s.file)
		if err != nil {
			return prompt.Context{}, err
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err == nil {
			err = jsondoc.Bind(n, jsondoc.Root, &f).Err()
		}
		if err != nil {
			return prompt.Context{}, process.Usagef("%s is not a context: %v", s.file, err)
		}
	}
	return sceneFile{
		At: cmp.Or(s.At, f.At), Zone: cmp.Or(s.Zone, f.Zone), UserInstructions: cmp.Or(s.UserInstructions, f.UserInstructions),
		MemoryNotes: cmp.Or(s.MemoryNotes, f.MemoryNotes), LastMessageAt: cmp.Or(s.LastMessageAt, f.LastMessageAt), BootstrapContext: cmp.Or(s.BootstrapContext, f.BootstrapContext),
	}.scene(a.Env.Now())
}

func (f sceneFile) scene(now time.Time) (prompt.Context, error) {
	c := prompt.Context{
		Now: now, Zone: f.Zone, UserInstructions: f.UserInstructions, MemoryNotes: f.MemoryNotes, BootstrapContext: f.BootstrapContext,
	}
	at, err := command.ParseTime(f.At)
	if err != nil {
		return c, err
	}
	if !at.IsZero() {
		c.Now = at
	}
	last, err := command.ParseTime(f.LastMessageAt)
	if err == nil && !last.IsZero() {
		c.LastMessageAt = &last
	}
	return c, err
}
