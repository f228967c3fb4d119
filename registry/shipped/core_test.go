package shipped_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/internal/generated"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/shipped"
)

// receipt matches the source that a claim cites: a file with lines, or an issue.
var receipt = regexp.MustCompile(`\[[\w./-]+:\d+-\d+\]|#\d+`)

const sumsFile = "data/core.sums"

// documented is the table of core tools: id, archetype, and arguments, with "*"
// after required ones.
var documented = [][3]string{
	{"search_issues", "Any", "tags assignedTo status priority personalTags personalAgent excludePersonalTags minInterestLevel"},
	{"file_locator", "Any", "search_criteria* scan_mode max_results include_globs dry_run"},
	{"file_reader", "Any", "file_path* start_line end_line include_line_numbers dry_run"},
	{"task_router", "Chief", "user_request* dry_run"},
	{"canon_checker", "Continuity", "scene_path* mode"},
	{"outline_analyzer", "Planner", "outline_path mode dry_run"},
	{"prose_analyzer", "Editor", "scene_path* focus dry_run"},
	{"consistency_checker", "Continuity", "file_paths* focus dry_run"},
	{"scene_draft_validator", "Any", "scene_path* include_canon dry_run"},
	{"issue_status_summarizer", "Chief", "dry_run"},
	{"stakes_mapper", "Planner", "outline_path max_scenes dry_run"},
	{"line_editor", "Editor", "file_path start_line end_line max_edits dry_run"},
	{"scene_impact_analyzer", "Critic", "scene_path* outline_path dry_run"},
	{"reader_experience_simulator", "Critic", "scene_paths dry_run"},
	{"timeline_validator", "Continuity", "file_paths dry_run"},
	{"beat_architect", "Any", "scene_brief* density max_clusters dry_run"},
}

func TestCoreSums(t *testing.T) {
	var want strings.Builder
	for _, row := range documented {
		text, err := os.ReadFile("data/core/" + row[0] + ".md")
		if err != nil {
			t.Fatal(err)
		}
		d, err := mdfile.DecodeDefinition(registry.KindTool, text)
		if err != nil {
			t.Fatalf("%s: %v", row[0], err)
		}
		want.WriteString(row[0] + " " + d.Hash() + "\n")
	}
	generated.Check(t, sumsFile, []byte(want.String()))
}

func TestCore(t *testing.T) {
	core, hashes := shipped.Core(), shipped.CoreHashes()
	files, err := os.ReadDir("data/core")
	if err != nil || len(files) != 16 || len(core) != 16 || len(hashes) != 16 {
		t.Fatalf("%d files (%v), %d tools, %d hashes; want 16 of each", len(files), err, len(core), len(hashes))
	}
	for i, d := range core {
		row := documented[i]
		t.Run(row[0], func(t *testing.T) {
			if ps := d.Problems(jsondoc.Root); ps != nil {
				t.Error(ps)
			}
			x := d.Tool
			if x.ID != row[0] || x.Archetype != row[1] {
				t.Errorf("%s, %s; want %s, %s", x.ID, x.Archetype, row[0], row[1])
			}
			if !shipped.IsCore(x.ID) || hashes[x.ID] != d.Hash() {
				t.Errorf("is core: %v, hash %s, want %s", shipped.IsCore(x.ID), hashes[x.ID], d.Hash())
			}
			if x.Kind != registry.PromptTool || x.Scope != registry.ScopeProject || x.Provider != nil {
				t.Errorf("kind %s, scope %s, provider %v", x.Kind, x.Scope, x.Provider)
			}
			if x.Approval == nil || *x.Approval != (registry.Approval{Tier: registry.AutoApprove}) {
				t.Errorf("approval = %+v", x.Approval)
			}
			if x.Category == "" || x.Tier == "" || x.Annotations == nil || x.Description == "" || x.ShortDescription == "" {
				t.Error("category, tier, annotations, description or shortDescription is missing")
			}
			if n := utf8.RuneCountInString(x.Prompt); n < 1_500 || n > 5_000 {
				t.Errorf("the prompt has %d characters; a useful one has 1,500 to 5,000", n)
			}
			checkArguments(t, x, row[2])
			checkCall(t, x)
		})
	}
}

func TestIsCore(t *testing.T) {
	for _, id := range []string{"", "file_reader_custom", "File_Reader", "get_tasks", "assistant"} {
		if shipped.IsCore(id) {
			t.Errorf("%q is not a core tool", id)
		}
	}
	shipped.CoreHashes()["file_reader"] = ""
	if shipped.CoreHashes()["file_reader"] == "" {
		t.Error("callers can change the hashes")
	}
}

// checkArguments compares the schema with the documented arguments and checks that
// the prompt explains each of them.
func checkArguments(t *testing.T, x *registry.Tool, documented string) {
	t.Helper()
	schema, err := jsondoc.Parse(x.InputSchema, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	compile(t, x.InputSchema)
	var want, required []string
	for _, arg := range strings.Fields(documented) {
		name, req := strings.CutSuffix(arg, "*")
		want = append(want, name)
		if req {
			required = append(required, name)
		}
	}
	var got []string
	for _, m := range schema.Get("properties").Members {
		got = append(got, m.Key)
		if !strings.Contains(x.Prompt, m.Key) {
			t.Errorf("the prompt does not explain %s", m.Key)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("arguments %v, want %v", got, want)
	}
	var gotRequired []string
	if n := schema.Get("required"); n != nil {
		for _, item := range n.Items {
			gotRequired = append(gotRequired, item.Text)
		}
	}
	if !slices.Equal(gotRequired, required) {
		t.Errorf("required %v, want %v", gotRequired, required)
	}
	checkDescribed(t, schema, "inputSchema")
}

// checkCall validates the example call in the prompt, because a model imitates it.
func checkCall(t *testing.T, x *registry.Tool) {
	t.Helper()
	var calls []string
	for line := range strings.Lines(x.Prompt) {
		if strings.HasPrefix(line, "{") {
			calls = append(calls, line)
		}
	}
	if len(calls) != 1 {
		t.Fatalf("the prompt shows %d calls, want 1", len(calls))
	}
	n, err := jsondoc.Parse([]byte(calls[0]), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var call struct {
		Tool  string          `json:"tool"`
		Args  json.RawMessage `json:"args"`
		Nonce string          `json:"nonce"`
	}
	if ps := jsondoc.Bind(n, jsondoc.Root, &call); ps != nil || call.Tool != x.ID || call.Nonce == "" {
		t.Fatalf("the call in the prompt is not a call of this tool: %v, %+v", ps, call)
	}
	validate(t, compile(t, x.InputSchema), call.Args)
	for _, word := range []string{"fence", "nonce"} {
		if !strings.Contains(x.Prompt, word) {
			t.Errorf("the prompt does not mention the %s", word)
		}
	}
	if !receipt.MatchString(x.Prompt) {
		t.Error("the prompt does not show a receipt")
	}
}
