package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// agentProblems has changes of a complete agent and the expected problems.
var agentProblems = []struct {
	name string
	edit func(*registry.Agent)
	want []string
}{
	{"complete", func(*registry.Agent) {}, nil},
	{"nothing at all", func(a *registry.Agent) { *a = registry.Agent{} }, []string{"id: missing", "name: missing"}},
	{"full texts", func(a *registry.Agent) {
		a.Description = strings.Repeat("é", 4_000)
		a.Vibe = strings.Repeat("é", 1_000)
		a.Soul = strings.Repeat("é", 32_000)
		a.PromptTemplate = strings.Repeat("é", 1<<20)
	}, nil},
	{"texts too long", func(a *registry.Agent) {
		long := strings.Repeat("x", 1<<20+1)
		a.Name, a.Description, a.Vibe, a.Soul = long[:81], long[:4_001], long[:1_001], long[:32_001]
		a.PromptTemplate, a.OperatingModel, a.InteractionLearning, a.Onboarding = long, long, long, long
		a.SessionOpen = &registry.SessionOpen{Bootstrap: long, Returning: long}
		a.ChannelGuidance = map[string]string{"web": long}
	}, []string{
		"name: got 81", "description: got 4001", "vibe: got 1001", "soul: got 32001", "promptTemplate: must not exceed 1048576",
		"operatingModel: must not exceed", "interactionLearning: must not exceed", "channelGuidance.web: must not exceed",
		"sessionOpen.bootstrap: must not exceed", "sessionOpen.returning: must not exceed", "onboarding: must not exceed",
	}},
	{"own channels", func(a *registry.Agent) { a.ChannelGuidance = map[string]string{"kiosk_2": "Be brief."} }, nil},
	{"no channels", func(a *registry.Agent) { a.ChannelGuidance = map[string]string{"Web": "", "2web": "", "": ""} }, []string{
		`channelGuidance[""]: expected a channel name`, "channelGuidance.2web: expected a channel name", "channelGuidance.Web: expected a channel name",
	}},
	{"too many channels", func(a *registry.Agent) {
		a.ChannelGuidance = map[string]string{}
		for i := range 65 {
			a.ChannelGuidance[fmt.Sprintf("c%d", i)] = "x"
		}
	}, []string{"channelGuidance: got 65"}},
	{"features", func(a *registry.Agent) {
		a.Features = map[string]bool{"missions_enabled": true, "async_tasks_enabled": false}
	}, nil},
	{"no features", func(a *registry.Agent) { a.Features = map[string]bool{"": true, "Missions!": true} }, []string{
		`features[""]: expected an id`, `features["Missions!"]: expected an id`,
	}},
	{"list by name", func(a *registry.Agent) { a.AllowList = &registry.AllowList{Name: "code_gen"} }, nil},
	{"list by odd name", func(a *registry.Agent) { a.AllowList = &registry.AllowList{Name: "code gen"} }, []string{"allowList: expected the name of a"}},
	{"own list", func(a *registry.Agent) {
		a.AllowList = &registry.AllowList{Name: "mine", Tools: []string{"get_tides"}, Categories: []string{"web"}, Tiers: []registry.Tier{"low", "high"}}
	}, nil},
	{"broken list", func(a *registry.Agent) {
		a.AllowList = &registry.AllowList{
			Name: "My List", Tools: []string{"get_tides", "get-tides", "get_tides"}, Categories: []string{"web", "Fun", "web"}, Tiers: []registry.Tier{"low", "lower"},
			AddWhenNonLocal: []string{"A"}, ExcludeInLocal: []string{"B"}, AddWhenEmbeddingOK: []string{"C"},
		}
	}, []string{
		"allowList.name: expected lower-case words", `allowList.tools[1]: got "get-tides"`, "allowList.tools[2]: duplicates allowList.tools[0]",
		`allowList.categories[1]: got "Fun"`, "allowList.categories[2]: duplicates", `allowList.tier[1]: expected low, medium or high, got "lower"`,
		"allowList.addWhenNonLocal[0]: expected an id", "allowList.excludeInLocal[0]: expected an id", "allowList.addWhenEmbeddingOK[0]: expected an id",
	}},
	{"categories", func(a *registry.Agent) { a.Categories = []string{"web", "not sense", "mission"} }, []string{`categories[1]: got "not sense"`}},
	{"status", func(a *registry.Agent) { a.Status = "asleep" }, []string{"status: expected active or deactivated"}},
}

func TestAgentProblems(t *testing.T) {
	for _, tt := range agentProblems {
		t.Run(tt.name, func(t *testing.T) {
			a := registry.Agent{ID: "assistant", Name: "Assistant"}
			tt.edit(&a)
			expectProblems(t, a.Problems(jsondoc.Root), tt.want...)
		})
	}
}

func TestAgentTimezone(t *testing.T) {
	for zone, ok := range map[string]bool{
		"": true, "UTC": true, "Europe/Berlin": true, "America/Argentina/Buenos_Aires": true, "Etc/GMT+12": true, "Etc/GMT-1": true,
		"../etc/passwd": false, "/Europe/Berlin": false, "Europe/": false, "Europe Berlin": false, "Europe/Berl\u202ein": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		a := registry.Agent{ID: "a", Name: "A", Timezone: zone}
		if got := a.Problems(jsondoc.Root); (got == nil) != ok {
			t.Errorf("timezone %q: %v", zone, got)
		}
	}
}

func TestDefinitionProblems(t *testing.T) {
	tool := promptTool()
	agent := registry.Agent{Name: "A"}
	expectProblems(t, registry.Definition{}.Problems("definition"), "definition: missing")
	expectProblems(t, registry.Definition{Tool: &tool}.Problems("definition"))
	expectProblems(t, registry.Definition{Agent: &agent}.Problems("definition"), "definition.id: missing")
}

func TestProblemsAreLimited(t *testing.T) {
	list := make([]string, 9_000)
	for i := range list {
		list[i] = fmt.Sprintf("NOT AN ID %d", i)
	}
	a := registry.Agent{ID: "a", Name: "A", AllowList: &registry.AllowList{Tools: list, ExcludeInLocal: list}}
	ps := a.Problems(jsondoc.Root)
	if len(ps) != jsondoc.MaxProblems+1 || !strings.Contains(ps[jsondoc.MaxProblems].Message, "more than 100 problems") {
		t.Errorf("%d problems, the last: %s", len(ps), ps[len(ps)-1])
	}
}
