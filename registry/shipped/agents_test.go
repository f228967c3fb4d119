package shipped_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
)

func assistantAgent(t *testing.T) *registry.Agent {
	t.Helper()
	agents := shipped.Agents()
	if len(agents) != 2 || agents[0].ID() != shipped.AssistantID {
		t.Fatalf("agents = %v", agents)
	}
	return agents[0].Agent
}

func TestAgent(t *testing.T) {
	a := assistantAgent(t)
	if ps := a.Problems(jsondoc.Root); ps != nil {
		t.Error(ps)
	}
	if a.AllowList == nil || !a.AllowList.Reference() || a.AllowList.Name != "assistant" {
		t.Errorf("allowList = %+v", a.AllowList)
	}
	for name, text := range map[string]string{
		"name": a.Name, "description": a.Description, "vibe": a.Vibe, "soul": a.Soul, "operatingModel": a.OperatingModel,
		"interactionLearning": a.InteractionLearning, "onboarding": a.Onboarding,
		"sessionOpen.bootstrap": a.SessionOpen.Bootstrap, "sessionOpen.returning": a.SessionOpen.Returning,
	} {
		if text == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for _, channel := range []string{"web", "telegram", "session_open", "scheduled", "heartbeat"} {
		if utf8.RuneCountInString(a.ChannelGuidance[channel]) < 200 {
			t.Errorf("the guidance for %s is too short", channel)
		}
	}
	for channel, answer := range map[string]string{"session_open": "WAKEUP_SILENT", "heartbeat": "HEARTBEAT_OK", "telegram": "4,096"} {
		if !strings.Contains(a.ChannelGuidance[channel], answer) {
			t.Errorf("%s does not mention %s", channel, answer)
		}
	}
	if !strings.Contains(a.SessionOpen.Returning, "WAKEUP_SILENT") {
		t.Error("the returning text does not mention WAKEUP_SILENT")
	}
}

func TestSoul(t *testing.T) {
	soul := assistantAgent(t).Soul
	if regexp.MustCompile(`(?m)^\s*(#|[-*+] |\d+[.)] )`).MatchString(soul) {
		t.Error("the soul contains Markdown structure")
	}
	if strings.ContainsAny(soul, "$`{}<>") {
		t.Error("the soul contains markup")
	}
	for _, d := range slices.Concat(shipped.Core(), shipped.Assistant()) {
		if strings.Contains(soul, d.ID()) {
			t.Errorf("the soul mentions the tool %s", d.ID())
		}
	}
	if m := regexp.MustCompile(`(?i)\b(tools?|calls?|json|channels?|telegram|markdown|always|must|never use|reply with|respond)\b`).FindString(soul); m != "" {
		t.Errorf("the soul contains operational instructions: %q", m)
	}
}

func TestTemplateHasEveryPlaceholderOnce(t *testing.T) {
	template := assistantAgent(t).PromptTemplate
	found := regexp.MustCompile(`\$[a-z_]+`).FindAllString(template, -1)
	slices.Sort(found)
	want := []string{
		"$bootstrap_context", "$channel_guidance", "$current_time", "$identity", "$interaction_learning", "$memory_notes",
		"$operating_model", "$session_section", "$soul", "$tool_catalog", "$tool_guidance", "$user_instructions",
	}
	if !slices.Equal(found, want) {
		t.Errorf("placeholders %v, want %v", found, want)
	}
	if strings.Count(template, "$") != len(want) || strings.ContainsAny(template, "{}") {
		t.Error("the template contains other placeholder characters")
	}
}
