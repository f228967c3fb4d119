package shipped_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
)

const (
	auto       = "auto_approve"
	askUnless  = "user_configurable requires_approval"
	autoUnless = "user_configurable auto_approve"
)

// catalogue lists the tools of the assistant with their approval tiers.
var catalogue = [][2]string{
	{"get_tasks", auto},
	{"create_tasks", autoUnless},
	{"update_tasks", autoUnless},
	{"delete_tasks", askUnless},
	{"get_reminders", auto},
	{"create_reminders", autoUnless},
	{"delete_reminders", askUnless},
	{"get_schedules", auto},
	{"create_schedules", autoUnless},
	{"delete_schedules", askUnless},
	{"update_instructions", askUnless},
	{"search_gmail", auto},
	{"get_gmail", auto},
	{"create_memories", auto},
	{"search_memories", auto},
	{"get_memories", auto},
	{"update_memories", auto},
	{"delete_memories", auto},
	{"set_project", auto},
	{"link_memories", auto},
	{"get_entities", auto},
	{"search_entities", auto},
	{"get_context", auto},
}

func TestAssistant(t *testing.T) {
	tools := shipped.Assistant()
	files, err := os.ReadDir("data/assistant")
	if err != nil || len(files) != 23 || len(tools) != 23 {
		t.Fatalf("%d files (%v), %d tools; want 23", len(files), err, len(tools))
	}
	for i, d := range tools {
		row := catalogue[i]
		t.Run(row[0], func(t *testing.T) {
			if ps := d.Problems(jsondoc.Root); ps != nil {
				t.Error(ps)
			}
			x := d.Tool
			if x.ID != row[0] || x.Kind != registry.ActionTool || shipped.IsCore(x.ID) {
				t.Errorf("%s of kind %s, core: %v; want %s", x.ID, x.Kind, shipped.IsCore(x.ID), row[0])
			}
			if x.Approval == nil || strings.TrimSpace(string(x.Approval.Tier+" "+x.Approval.Default)) != row[1] {
				t.Errorf("approval = %+v, want %s", x.Approval, row[1])
			}
			if x.Provider == nil || *x.Provider != (registry.Provider{Type: registry.ProviderBuiltin}) {
				t.Errorf("provider = %+v", x.Provider)
			}
			if x.Category == "" || x.Tier == "" || x.Cost == "" || x.ShortDescription == "" {
				t.Error("category, tier, cost or shortDescription is missing")
			}
			if n := utf8.RuneCountInString(x.Description); n < 200 || n > 2_048 {
				t.Errorf("the description has %d characters; some clients cut at 2,048", n)
			}
			checkVerb(t, x)
			compile(t, x.OutputSchema)
		})
	}
}

// TestSearchDescriptionMatchesBehaviour checks that the description of
// search_memories states that it compares words, and that an empty result means no
// more than that (C13).
func TestSearchDescriptionMatchesBehaviour(t *testing.T) {
	for _, d := range shipped.Assistant() {
		if d.Tool.ID != "search_memories" {
			continue
		}
		if strings.Contains(d.Tool.ShortDescription, "meaning") || strings.Contains(d.Tool.Description, "means that nothing was stored") ||
			!strings.Contains(d.Tool.Description, "compares words, not meanings") || !strings.Contains(d.Tool.Description, "no memory has these words") {
			t.Errorf("%s\n%s", d.Tool.ShortDescription, d.Tool.Description)
		}
		return
	}
	t.Error("search_memories not found")
}

// checkVerb compares annotations and input with those that the name implies.
func checkVerb(t *testing.T, x *registry.Tool) {
	t.Helper()
	verb, resource, _ := strings.Cut(x.ID, "_")
	input, ok := shipped.VerbInput(verb)
	if !ok {
		t.Fatalf("unknown verb: %s", verb)
	}
	if shipped.TakesOneItem(x.ID) {
		input = shipped.InputItem
	}
	if !strings.HasSuffix(resource, "s") && !shipped.SingularResource(resource) {
		t.Errorf("%s is neither plural nor listed as singular", resource)
	}
	checkAnnotations(t, x, verb)
	checkInput(t, x, input)
}

func checkAnnotations(t *testing.T, x *registry.Tool, verb string) {
	t.Helper()
	a := x.Annotations
	if a == nil || a.ReadOnly == nil || a.Destructive == nil || a.OpenWorld == nil {
		t.Fatalf("annotations = %+v", a)
	}
	reads := verb == "get" || verb == "search"
	removes := verb == "delete" || x.ID == "update_instructions" // replaces the whole text
	if *a.ReadOnly != reads || *a.Destructive != removes || *a.OpenWorld != (x.Category == "email") {
		t.Errorf("readOnly %v, destructive %v, openWorld %v", *a.ReadOnly, *a.Destructive, *a.OpenWorld)
	}
	if a.Idempotent != nil && *a.Idempotent == (verb == "create") {
		t.Errorf("idempotent = %v", *a.Idempotent)
	}
}

func checkInput(t *testing.T, x *registry.Tool, input shipped.Input) {
	t.Helper()
	schema, err := jsondoc.Parse(x.InputSchema, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	compile(t, x.InputSchema)
	checkDescribed(t, schema, "inputSchema")
	if schema.Get("type").Text != "object" || strings.Contains(string(x.InputSchema), "is_deleted") || strings.Contains(string(x.OutputSchema), "is_deleted") {
		t.Error("the schema is not an object or mentions is_deleted")
	}
	props := schema.Get("properties")
	var required []string
	if n := schema.Get("required"); n != nil {
		for _, item := range n.Items {
			required = append(required, item.Text)
		}
	}
	verb, resource, _ := strings.Cut(x.ID, "_")
	list := props.Get(resource)
	switch input {
	case shipped.InputFilters:
		if x.ID != "get_context" && props.Get("id") == nil {
			t.Error("id does not select one item")
		}
	case shipped.InputList:
		if list == nil || list.Get("type").Text != "array" || !slices.Equal(required, []string{resource}) {
			t.Errorf("does not take a list %s", resource)
		} else if verb == "update" && list.Find("items.required[0]").Text != "id" {
			t.Error("the items do not require id")
		}
	case shipped.InputIDs:
		if n := props.Get("ids"); n == nil || n.Get("type").Text != "array" || len(props.Members) != 1 {
			t.Error("does not take a list of ids")
		}
	case shipped.InputQuery:
		if !slices.Equal(required, []string{"query"}) {
			t.Error("does not require a query")
		}
	case shipped.InputItem:
		for _, m := range props.Members {
			if m.Value.Get("type").Text == "array" && m.Key != "tags" {
				t.Errorf("%s is a list", m.Key)
			}
		}
		if len(required) == 0 {
			t.Error("has no required parameter")
		}
	}
}

func TestCallsOfTheAssistant(t *testing.T) {
	for _, tt := range []struct{ tool, args string }{
		{"get_tasks", `{}`},
		{"create_tasks", `{"tasks":[{"title":"Call Anna","due":"2026-11-21T09:00:00+01:00"}]}`},
		{"update_tasks", `{"tasks":[{"id":"t1","status":"done","due":null,"project":null}]}`},
		{"delete_tasks", `{"ids":["t1","t2"]}`},
		{"create_schedules", `{"schedules":[{"title":"Morning","instruction":"Say what is due.","cron":"0 7 * * *"}]}`},
		{"update_instructions", `{"instructions":""}`},
		{"get_gmail", `{"id":"m1"}`},
		{"create_memories", `{"content":"Anna is the user's sister."}`},
		{"delete_memories", `{"id":"m1"}`},
		{"set_project", `{"project":null}`},
		{"link_memories", `{"id":"m1","to_entity":"Anna","entity_type":"person","relation":"about"}`},
		{"get_context", `{"include":["time","tasks"]}`},
	} {
		i := slices.IndexFunc(shipped.Assistant(), func(d registry.Definition) bool { return d.ID() == tt.tool })
		validate(t, compile(t, shipped.Assistant()[i].Tool.InputSchema), []byte(tt.args))
	}
}
