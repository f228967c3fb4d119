package prompt

import (
	"strings"
	"time"

	"toolcrib/registry"
)

// Context is the moment and the user that a prompt is rendered for.
type Context struct {
	Now  time.Time
	Zone string // IANA name; "" means the agent's

	MemoryNotes      string
	UserInstructions string
	LastMessageAt    *time.Time // nil when the user never wrote
	BootstrapContext string     // results of earlier lookups
}

// NewUser reports whether nothing is known of the user.
func (c Context) NewUser() bool {
	return c.LastMessageAt == nil && strings.TrimSpace(c.MemoryNotes) == "" && strings.TrimSpace(c.UserInstructions) == ""
}

func (c Context) location(a registry.Agent) *time.Location {
	if c.Zone != "" {
		return zone(c.Zone)
	}
	return zone(a.Timezone)
}
