package prompt

import (
	"slices"
	"testing"
	"time"

	"toolcrib/registry"
)

func TestChannels(t *testing.T) {
	agent := registry.Agent{ChannelGuidance: map[string]string{"voice": "v", "email": "e", Web: "w", Heartbeat: ""}}
	want := []string{Web, Telegram, SessionOpen, Scheduled, Heartbeat, "email", "voice"}
	if got := Channels(agent); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Channels(registry.Agent{}); !slices.Equal(got, want[:5]) {
		t.Errorf("got %v, want %v", got, want[:5])
	}
}

// TestChannelTable checks the texts that depend on the channel, for a new and a
// known user.
func TestChannelTable(t *testing.T) {
	agent := registry.Agent{
		ChannelGuidance:     map[string]string{Web: "web text", Telegram: "telegram text", Heartbeat: "", "email": "email text"},
		InteractionLearning: "learning",
		OperatingModel:      "model",
		SessionOpen:         &registry.SessionOpen{Bootstrap: "bootstrap", Returning: "returning"},
		Onboarding:          "onboarding",
	}
	yesterday := at.Add(-30 * time.Hour)
	const back = "returning\n\nThe user's last message was 1 day ago."
	for _, c := range []struct{ channel, guidance, learning, model, fresh, known string }{
		{Web, "web text", "learning", "model", "onboarding", ""},
		{Telegram, "telegram text", "learning", "model", "onboarding", ""},
		{SessionOpen, "web text", "", "model", "bootstrap", back},
		{Scheduled, "web text", "", "", "", ""},
		{Heartbeat, "", "", "", "", ""},
		{"email", "email text", "", "", "", ""},
		{"unheard_of", "web text", "", "", "", ""},
	} {
		in := Input{Agent: agent, Context: Context{Now: at}}
		for placeholder, want := range map[string]string{
			ChannelGuidance: c.guidance, InteractionLearning: c.learning, OperatingModel: c.model, SessionSection: c.fresh,
		} {
			if got := only(t, placeholder, c.channel, in); got != want {
				t.Errorf("%s, $%s: got %q, want %q", c.channel, placeholder, got, want)
			}
		}
		in.Context.LastMessageAt = &yesterday
		if got := only(t, SessionSection, c.channel, in); got != c.known {
			t.Errorf("%s, $%s of a known user: got %q, want %q", c.channel, SessionSection, got, c.known)
		}
	}
}

func TestNewUser(t *testing.T) {
	agent := registry.Agent{SessionOpen: &registry.SessionOpen{Bootstrap: "bootstrap", Returning: "returning"}}
	for _, c := range []struct {
		context Context
		want    string
	}{
		{Context{}, "bootstrap"},
		{Context{MemoryNotes: " ", UserInstructions: "\n", BootstrapContext: "x"}, "bootstrap"},
		{Context{MemoryNotes: "x"}, "returning"},
		{Context{UserInstructions: "x"}, "returning"},
		{Context{LastMessageAt: &time.Time{}}, "returning\n\nThe user's last message was less than a minute ago."},
	} {
		if got := only(t, SessionSection, SessionOpen, Input{Agent: agent, Context: c.context}); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.context, got, c.want)
		}
	}
	// An agent without these texts adds nothing.
	for _, open := range []*registry.SessionOpen{nil, {}, {Bootstrap: "only for new ones"}} {
		in := Input{Agent: registry.Agent{SessionOpen: open}, Context: Context{LastMessageAt: &at, Now: at}}
		if got := only(t, SessionSection, SessionOpen, in); got != "" {
			t.Errorf("%+v: got %q", open, got)
		}
	}
}
