package prompt

import (
	"testing"

	"toolcrib/registry"
)

// reference returns the hashes of all channel prompts in the Reference context.
func reference(agent registry.Agent, tools []Tool) map[string]string {
	hashes := map[string]string{}
	for _, out := range NewRenderer(Input{Agent: agent, Tools: tools, Context: Reference()}).RenderAll() {
		hashes[out.Channel] = Hash(out.Text)
	}
	return hashes
}

func TestHashes(t *testing.T) {
	agent, tools := sampleAgent()
	before := reference(agent, tools)
	if len(before) != 6 {
		t.Errorf("%d channels, want 6", len(before))
	}
	for channel, hash := range before {
		out := Render(Input{Agent: agent, Tools: tools, Context: Reference()}, channel)
		if hash != Hash(out.Text) {
			t.Errorf("%s: the hash is not that of the text", channel)
		}
	}
	for _, c := range []struct {
		name    string
		change  func(a *registry.Agent, t *registry.Tool)
		changes []string
	}{
		{"nothing", func(*registry.Agent, *registry.Tool) {}, nil},
		{"soul", func(a *registry.Agent, _ *registry.Tool) { a.Soul += "!" }, Channels(agent)},
		{"time zone", func(a *registry.Agent, _ *registry.Tool) { a.Timezone = "" }, Channels(agent)},
		{"prompt of a tool", func(_ *registry.Agent, t *registry.Tool) { t.Prompt += "!" }, Channels(agent)},
		{"guidance of a tool", func(_ *registry.Agent, t *registry.Tool) { t.Guidance = map[string]string{Heartbeat: "!"} }, []string{Heartbeat}},
		{"onboarding", func(a *registry.Agent, _ *registry.Tool) { a.Onboarding += "!" }, []string{Web, Telegram}},
		{"operating model", func(a *registry.Agent, _ *registry.Tool) { a.OperatingModel += "!" }, []string{Web, Telegram, SessionOpen}},
		{"another channel", func(a *registry.Agent, _ *registry.Tool) { a.ChannelGuidance["x"] = "!" }, []string{"x"}},
	} {
		agent, tools := sampleAgent()
		c.change(&agent, tools[0].Tool)
		changed := map[string]bool{}
		for _, channel := range c.changes {
			changed[channel] = true
		}
		for channel, hash := range reference(agent, tools) {
			if got := hash != before[channel]; got != changed[channel] {
				t.Errorf("%s: %s changed: %v", c.name, channel, got)
			}
		}
	}
}

// TestReferenceIsFixed fails if a prompt changes although its agent did not. Such a
// change invalidates all review digests.
func TestReferenceIsFixed(t *testing.T) {
	agent, tools := sampleAgent()
	golden(t, "reference", Render(Input{Agent: agent, Tools: tools, Context: Reference()}, Web).Text)
}
