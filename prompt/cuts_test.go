package prompt

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

func TestCuts(t *testing.T) {
	long := Tool{Tool: &registry.Tool{ID: "long", Description: strings.Repeat("ä", DescriptionLimit+1)}}
	fits := Tool{Tool: &registry.Tool{ID: "fits", Description: strings.Repeat("ä", DescriptionLimit)}}
	description := Cut{Kind: CutDescription, Tool: "long", Limit: 2048, Length: 2049}
	for _, c := range []struct {
		chars   int
		channel string
		want    []Cut
	}{
		{10, Telegram, []Cut{{Kind: CutMessage, Limit: 4096}, description}}, // about messages that the agent sends (C17)
		{4097, Telegram, []Cut{{Kind: CutMessage, Limit: 4096}, description}},
		{4097, Web, []Cut{description}},
	} {
		agent := registry.Agent{PromptTemplate: strings.Repeat("ö", c.chars)}
		if got := Render(Input{Agent: agent, Tools: []Tool{fits, long}}, c.channel).Cuts; !slices.Equal(got, c.want) {
			t.Errorf("%s, %d characters: got %v, want %v", c.channel, c.chars, got, c.want)
		}
	}
}

func TestCutString(t *testing.T) {
	for want, c := range map[string]Cut{
		"Telegram accepts messages of at most 4096 characters. This limits the agent's messages, but not its prompt.":  {Kind: CutMessage, Limit: 4096},
		"The description of long has 2049 characters; some clients cut it at 2048.":                                    {Kind: CutDescription, Tool: "long", Limit: 2048, Length: 2049},
		"The template expands to 99 bytes; the prompt ends before the placeholder that exceeds the limit of 12 bytes.": {Kind: CutPrompt, Limit: 12, Length: 99},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestPromptLimit renders templates of some hundred KB that would expand to
// gigabytes.
func TestPromptLimit(t *testing.T) {
	const times = 20_000
	value := strings.Repeat("x", 1<<20)
	for name, agent := range map[string]registry.Agent{
		"text":     {Soul: value},
		"blank":    {OperatingModel: strings.Repeat(" ", 1<<20), Soul: value},
		"newlines": {OperatingModel: strings.Repeat("\n", 1<<20), Soul: value},
	} {
		agent.PromptTemplate = "start\n" + strings.Repeat("# A\n$operating_model\n", times) + strings.Repeat("## B\n$soul\n", times)
		out := Render(Input{Agent: agent}, Web)
		if len(out.Text) > PromptLimit || !strings.HasPrefix(out.Text, "start") {
			t.Errorf("%s: %d bytes", name, len(out.Text))
		}
		if len(out.Cuts) != 1 || out.Cuts[0].Kind != CutPrompt || out.Cuts[0].Length < times<<20 {
			t.Errorf("%s: got %v", name, out.Cuts)
		}
	}
	agent := registry.Agent{Soul: value, PromptTemplate: strings.Repeat("$soul", 15)}
	if out := Render(Input{Agent: agent}, Web); len(out.Text) != 15<<20 || out.Cuts != nil {
		t.Errorf("a fitting prompt has %d bytes and %v", len(out.Text), out.Cuts)
	}
}
