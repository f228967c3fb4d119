package shipped_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
)

func tools() map[string]*registry.Tool {
	byID := map[string]*registry.Tool{}
	for _, d := range slices.Concat(shipped.Core(), shipped.Assistant()) {
		byID[d.ID()] = d.Tool
	}
	return byID
}

func TestAllowLists(t *testing.T) {
	want := []string{
		"assistant", "code_gen", "general_purpose", "supervisor", "execute", "explore",
		"integration_jira", "integration_github", "integration_confluence", "integration_linear",
		"authoring",
	}
	known := tools()
	if len(known) != 39 {
		t.Fatalf("%d tools, want 39", len(known))
	}
	var got []string
	for _, d := range shipped.Lists() {
		l := d.List.AllowList()
		got = append(got, l.Name)
		if ps := d.Problems(jsondoc.Root); ps != nil || d.List.Description == "" || d.Name() == d.ID() {
			t.Errorf("%s: %v, name %q, description %q", l.Name, ps, d.Name(), d.List.Description)
		}
		for _, id := range slices.Concat(l.Tools, l.AddWhenNonLocal, l.ExcludeInLocal, l.AddWhenEmbeddingOK) {
			if known[id] == nil {
				t.Errorf("%s lists %s, which is not shipped", l.Name, id)
			}
		}
		reaches := slices.ContainsFunc(slices.Collect(maps.Values(known)), func(x *registry.Tool) bool { return l.Admits(*x) })
		if !reaches {
			t.Errorf("%s admits no shipped tool", l.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("lists %v, want %v", got, want)
	}
	if _, ok := shipped.List("nobody"); ok {
		t.Error("unexpected list for nobody")
	}
}

func list(t *testing.T, name string) registry.AllowList {
	t.Helper()
	l, ok := shipped.List(name)
	if !ok {
		t.Fatalf("list %s not found", name)
	}
	return l
}

func TestSupervisorRunsNothing(t *testing.T) {
	l := list(t, "supervisor")
	want := []string{"search", "file_fetch", "web", "todo", "requirement"}
	if !slices.Equal(l.Categories, want) || l.Tools != nil {
		t.Errorf("categories %v and tools %v, want %v", l.Categories, l.Tools, want)
	}
}

func TestExecuteIsCodeGenWithoutPlanning(t *testing.T) {
	want := slices.DeleteFunc(slices.Clone(list(t, "code_gen").Categories), func(c string) bool { return c == "todo" || c == "requirement" })
	if got := list(t, "execute").Categories; !slices.Equal(got, want) || len(want) != len(list(t, "code_gen").Categories)-2 {
		t.Errorf("categories %v, want %v", got, want)
	}
}

func TestExploreOnlyReads(t *testing.T) {
	l := list(t, "explore")
	if len(l.Categories)+len(l.AddWhenNonLocal)+len(l.AddWhenEmbeddingOK) != 0 {
		t.Errorf("%+v can admit further tools", l)
	}
	for _, id := range l.Tools {
		if a := tools()[id].Annotations; a.ReadOnly == nil || !*a.ReadOnly {
			t.Errorf("%s is not read-only", id)
		}
	}
}

// TestAuthoringHasEveryPromptTool checks that an agent sees every prompt tool (C7).
func TestAuthoringHasEveryPromptTool(t *testing.T) {
	l := list(t, "authoring")
	for _, d := range shipped.Core() {
		if !l.Admits(*d.Tool) {
			t.Errorf("authoring does not admit %s", d.ID())
		}
	}
	for _, d := range shipped.Assistant() {
		if l.Admits(*d.Tool) {
			t.Errorf("authoring admits %s, which is not a prompt tool", d.ID())
		}
	}
	i := slices.IndexFunc(shipped.Agents(), func(d registry.Definition) bool { return d.ID() == shipped.AuthorID })
	if i < 0 || shipped.Agents()[i].Agent.AllowList.Name != "authoring" {
		t.Error("no agent author refers to authoring")
	}
}

func TestRetired(t *testing.T) {
	names := shipped.RetiredNames()
	known := tools()
	if len(names) != 26 {
		t.Errorf("%d names, want 26", len(names))
	}
	ghosts := 0
	for i, name := range names {
		successor, ok := shipped.Retired(name)
		if !ok || slices.Contains(names[:i], name) || known[name] != nil || !registry.ValidID(name) || !shipped.DeadTierEntry(name) {
			t.Errorf("%s: not retired, twice, still shipped or no id", name)
		}
		switch {
		case successor == "":
			ghosts++
		case known[successor] == nil:
			t.Errorf("the successor of %s is %s, which is not shipped", name, successor)
		}
	}
	if ghosts != 7 {
		t.Errorf("%d ghosts, want 7", ghosts)
	}
	for name, want := range map[string]string{
		"get_task": "get_tasks", "list_reminders": "get_reminders", "gmail_get_message": "get_gmail", "store_memory": "create_memories",
		"recall": "search_memories", "fetch_memory": "get_memories", "list_entities": "get_entities", "get_context_info": "get_context", "email_digest": "",
	} {
		if got, ok := shipped.Retired(name); !ok || got != want {
			t.Errorf("the successor of %s is %q, want %q", name, got, want)
		}
	}
	if _, ok := shipped.Retired("memory_store"); ok || !shipped.DeadTierEntry("memory_store") || !shipped.DeadTierEntry("memory_search") || !shipped.DeadTierEntry("memory_delete") {
		t.Error("memory_store, memory_search and memory_delete must be dead entries and not retired names")
	}
	for id := range known {
		if shipped.DeadTierEntry(id) {
			t.Errorf("DeadTierEntry reports the existing tool %s", id)
		}
	}
}

func TestVocabulary(t *testing.T) {
	if got := strings.Join(shipped.Verbs(), " "); got != "get create update delete search set link" {
		t.Errorf("verbs: %s", got)
	}
	if _, ok := shipped.VerbInput("fetch"); ok {
		t.Error("fetch is a verb")
	}
	if shipped.SingularResource("tasks") || !shipped.SingularResource("instructions") || !shipped.TakesOneItem("create_memories") || shipped.TakesOneItem("create_tasks") {
		t.Error("the exceptions are wrong")
	}
}
