package prompt

import (
	"strings"
	"testing"

	"toolcrib/registry/shipped"
)

// TestShippedAgent renders the shipped agent with all its tools.
func TestShippedAgent(t *testing.T) {
	var tools []Tool
	for _, d := range shipped.Assistant() {
		tools = append(tools, Tool{Tool: d.Tool})
	}
	agent := *shipped.Agents()[0].Agent
	for _, u := range Uses(agent.PromptTemplate) {
		if _, ok := NewRenderer(Input{}).valuesOf(Web)[u.Name]; !ok {
			t.Errorf("the template has $%s", u.Name)
		}
	}
	outputs := NewRenderer(Input{Agent: agent, Tools: tools, Context: Reference()}).RenderAll()
	if len(outputs) != 5 {
		t.Errorf("%d channels, want 5", len(outputs))
	}
	for _, out := range outputs {
		for _, tool := range tools {
			if !strings.Contains(out.Text, "- `"+tool.ID+"`: ") {
				t.Errorf("%s: %s is not in the catalog", out.Channel, tool.ID)
			}
		}
		for _, cut := range out.Cuts {
			if cut.Kind == CutDescription {
				t.Errorf("%s: %s", out.Channel, cut)
			}
		}
	}
	golden(t, "shipped_web", outputs[0].Text)
	golden(t, "shipped_heartbeat", outputs[4].Text)
}
