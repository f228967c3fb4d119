package prompt

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry"
)

// manyTools returns n tools, half of them prompt tools with 1,000 characters of
// text.
func manyTools(n int) []Tool {
	categories := registry.Categories()
	tools := make([]Tool, n)
	for i := range tools {
		t := &registry.Tool{
			ID: fmt.Sprintf("get_things_%04d", i), Kind: registry.ActionTool, Name: fmt.Sprintf("Get things %d", i*7919%n),
			Category: categories[i%len(categories)], Description: "Gets things that match a filter, newest first. Pass an id to get one.",
			Guidance: map[string]string{Web: "Show things as a table."},
		}
		if i%2 == 0 {
			t.Kind, t.Prompt = registry.PromptTool, strings.Repeat("Look at each thing closely.\n\n", 36)
		}
		tools[i] = Tool{Tool: t, Locked: i%60 == 0}
	}
	return tools
}

func BenchmarkFiveChannels1000Tools(b *testing.B) {
	agent, _ := sampleAgent()
	delete(agent.ChannelGuidance, "bench_display")
	in := Input{Agent: agent, Tools: manyTools(1000), Context: known()}
	b.ReportAllocs()
	for b.Loop() {
		NewRenderer(in).RenderAll()
	}
}

func BenchmarkHashes1000Tools(b *testing.B) {
	agent, _ := sampleAgent()
	delete(agent.ChannelGuidance, "bench_display")
	tools := manyTools(1000)
	b.ReportAllocs()
	for b.Loop() {
		reference(agent, tools)
	}
}

func BenchmarkFiveChannelsSmall(b *testing.B) {
	agent, tools := sampleAgent()
	in := Input{Agent: agent, Tools: tools, Context: known()}
	b.ReportAllocs()
	for b.Loop() {
		NewRenderer(in).RenderAll()
	}
}

// BenchmarkAnotherContext1000Tools renders a prompt for another user and time.
func BenchmarkAnotherContext1000Tools(b *testing.B) {
	agent, _ := sampleAgent()
	r := NewRenderer(Input{Agent: agent, Tools: manyTools(1000)})
	r.Render(Web)
	b.ReportAllocs()
	for b.Loop() {
		r.With(known()).Render(Web)
	}
}
