package service_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/rules"
	"toolcrib/store/storetest"
)

// queue creates random proposals about a few tools, agents, and lists, and compares every approval with the rendered
// prompts.
type queue struct {
	testDesk
	*rand.Rand
	versions map[string]int // by subject
	made     int
}

// waiting is a proposal as the user was shown it.
type waiting struct {
	proposals.Proposal
	digest string
	delta  delta // the changes that were shown
}

// delta counts the lines that prompts gain, minus the lines that they lose, by "agent#channel: line". It ignores the
// lines that toolcrib generates, such as headings.
type delta map[string]int

func (d delta) add(other delta) {
	for line, n := range other {
		if d[line] += n; d[line] == 0 {
			delete(d, line)
		}
	}
}

func (d delta) count(previews []impact.Preview) {
	for _, p := range previews {
		for sign, outputs := range map[int][]prompt.Output{-1: p.Now, 1: p.Then} {
			for _, o := range outputs {
				for line := range strings.Lines(o.Text) {
					if line = strings.TrimSpace(line); ofDefinition(line) {
						d.add(delta{p.Agent.String() + "#" + o.Channel + ": " + line: sign})
					}
				}
			}
		}
	}
}

// ofDefinition reports whether a line of a prompt is from a definition.
func ofDefinition(line string) bool {
	return line != "" && !strings.HasPrefix(line, "You have more tools than are listed here.") &&
		(!strings.HasPrefix(line, "#") || strings.Contains(line, "(`"))
}

// would returns the changes to the current prompts if the proposals were approved together.
func (q queue) would(ps ...waiting) delta {
	q.Helper()
	ids := make([]proposals.ID, len(ps))
	for i, p := range ps {
		ids[i] = p.ID
	}
	scene := impact.Scene{Layer: registry.LayerUser, Where: impact.ReferenceContext(), Context: prompt.Reference()}
	previews, err := q.desk.Impact.Preview(q.Context(), ids, "", scene)
	if err != nil {
		q.Fatal(err)
	}
	d := delta{}
	d.count(previews)
	return d
}

// look shows a proposal.
func (q queue) look(p waiting) waiting {
	p.digest = q.show(ada, p.Proposal).Digest
	p.delta = q.would(p)
	return p
}

// submit proposes a random change to a subject.
func (q *queue) submit(subject string) waiting {
	q.Helper()
	q.made++
	d := q.random(subject)
	base := q.versions[subject]
	d.BaseVersion = &base
	if base > 0 {
		d.Type = proposals.Modify
	}
	d.Rationale = fmt.Sprintf("Somebody asks for number %d.", q.made)
	return q.look(waiting{Proposal: q.propose(ada, d)})
}

// random returns a draft about a subject such as "tool_3", "agent_1" or "list_0".
func (q *queue) random(subject string) proposals.Draft {
	some := func(texts ...string) []string {
		return slices.DeleteFunc(texts, func(string) bool { return q.IntN(2) == 0 })
	}
	tools := some("tool_0", "tool_1", "tool_2", "tool_3", "crowd_tool_1")
	categories := some("web", "tasks")
	var kinds registry.Kinds
	if q.IntN(3) == 0 {
		kinds = registry.Kinds{registry.PromptTool}
	}
	switch {
	case strings.HasPrefix(subject, "agent"):
		d := storetest.Agent(subject)
		a := d.Definition.Agent
		a.Soul = fmt.Sprintf("Patient in manner %d.", q.made)
		a.PromptTemplate = []string{"", "$identity\n\n# Tools\n$tool_catalog\n", "# Soul\n$soul\n\n# Tools\n$tool_guidance\n\n## All\n$tool_catalog\n"}[q.IntN(3)]
		a.AllowList = &registry.AllowList{Name: "list_0"}
		if q.IntN(3) == 0 {
			a.AllowList = &registry.AllowList{Tools: append(tools, "search_issues"), Categories: categories, Kinds: kinds}
		}
		return d
	case strings.HasPrefix(subject, "list"):
		d := storetest.Prompt(subject)
		d.Subject.Kind = registry.KindList
		d.Definition = registry.Definition{List: &registry.List{ID: subject, Name: fmt.Sprint("List ", q.made), Tools: append(tools, "search_issues"), Categories: categories, Kinds: kinds}}
		return d
	}
	d := storetest.Prompt(subject)
	if (int(subject[len(subject)-1])+q.IntN(4))%2 == 0 {
		d = storetest.Action(subject)
		d.Definition.Tool.Category = []string{"web", "tasks", "other"}[q.IntN(3)]
		d.Definition.Tool.ShortDescription = fmt.Sprintf("Does %s in way %d.", subject, q.made)
	}
	t := d.Definition.Tool
	t.Prompt = strings.TrimSpace(t.Prompt + fmt.Sprintf("\nIt is number %d.", q.made))
	t.Name = fmt.Sprintf("%s %d", []string{"Alpha", "Beta", "Gamma"}[q.IntN(3)], q.made)
	t.DeferLoading = q.IntN(5) == 0
	t.Guidance = map[string]string{prompt.Web: fmt.Sprintf("Note %d.", q.made)}
	return d
}

// tryApprove approves proposals with the digests that were shown. This must succeed if the approvals change the prompts
// as shown for each proposal, and must fail otherwise.
func (q *queue) tryApprove(ps ...waiting) bool {
	q.Helper()
	shown := delta{}
	choices := make([]review.Choice, len(ps))
	for i, p := range ps {
		shown.add(p.delta)
		choices[i] = review.Choice{ID: p.ID, Expect: p.digest}
	}
	now := q.would(ps...)
	_, err := q.desk.Deciding.Approve(q.Context(), ada, choices, "")
	switch same := maps.Equal(now, shown); {
	case err != nil && !errors.Is(err, review.ErrDigest):
		q.Fatal(err)
	case err == nil && !same:
		q.Fatalf("%d approved: the prompts change by\n%v\nand shown was\n%v", len(ps), now, shown)
	case err != nil && same && len(ps) == 1:
		q.Fatalf("refused, and all that changes was shown: %v\n%v", err, now)
	}
	if err == nil {
		for _, p := range ps {
			q.versions[p.Subject.ID]++
		}
	}
	return err == nil
}

// TestApproveInAnyOrder shows all proposals of a random queue, and then approves them in random order, individually or several
// per call. Every line that goes live must have been shown in the approval, and if that is the case, the approval must
// succeed (G7).
func TestApproveInAnyOrder(t *testing.T) {
	shortrun.OneGoroutine(t)
	for seed := range uint64(24 / shortrun.Every(24)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			newQueue(seed, open(t, review.Policy{MaxOpen: 1000, MaxWrites: 100_000, Severities: storetest.BasicSeverities()})).anyOrder(8)
		})
	}
}

// TestJointEffectMustBeShown approves a tool and a list that contains it. Each was shown when it did not change any prompt, so the
// effect of both together was not shown.
func TestJointEffectMustBeShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	list := storetest.Prompt("clerks")
	list.Subject.Kind = registry.KindList
	list.Definition = registry.Definition{List: &registry.List{ID: "clerks", Name: "Clerks", Tools: []string{"search_issues"}}}
	agent := storetest.Agent("clerk")
	agent.Definition.Agent.AllowList = &registry.AllowList{Name: "clerks"}
	o.Approved(t, o.desk, ada, list)
	o.Approved(t, o.desk, ada, agent)
	base := 1
	list.Type, list.BaseVersion = proposals.Modify, &base
	list.Definition = registry.Definition{List: &registry.List{ID: "clerks", Name: "Clerks", Tools: []string{"search_issues"}, Categories: []string{"filing"}}}
	tool := storetest.Action("file_invoices")
	tool.Definition.Tool.Category = "filing"
	a, b, c := o.propose(scout, tool), o.propose(scout, list), o.propose(scout, storetest.Prompt("scene_pacer"))
	var expected []review.Choice
	for _, p := range []proposals.Proposal{a, b, c} {
		expected = append(expected, review.Choice{ID: p.ID, Expect: o.show(ada, p).Digest})
	}
	err := o.refused(review.ErrDigest, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, expected, ""); return err })
	for _, says := range []string{"#3 (tool:user/file_invoices)", "#4 (list:user/clerks)", "agent:user/clerk#"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	if strings.Contains(err.Error(), "scene_pacer") {
		t.Errorf("%v names what has no part in it", err)
	}
	o.lookAt(bob, a) // that bob never looked at a does not prevent other decisions
	o.lookAt(bob, b)
	o.refused(review.ErrDigest, o.tryApprove(bob, a, b, c))
	o.approve(ada, a)
	o.refused(review.ErrDigest, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, expected[1:2], ""); return err })
	o.lookAt(ada, b)
	o.approve(ada, b, c)
	o.sound()
}

// TestApproveInAnyOrderAtTheLimit is like TestApproveInAnyOrder, but with more live tools than a prompt lists, so that one tool can
// replace another in the prompt.
func TestApproveInAnyOrderAtTheLimit(t *testing.T) {
	shortrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "crowd.db")
	if err := (storetest.Dataset{Tools: prompt.MaxOfKind + 2}).Fill(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, path)
	q := newQueue(1, testDesk{Database: db, T: t, desk: db.Desk(t, review.Policy{MaxOpen: 1000, MaxWrites: 100_000, Severities: storetest.BasicSeverities()})})
	q.versions["crowd_tool_1"], q.versions["crowd_tool_100"] = 1, 1
	q.anyOrder(24/shortrun.Every(4), "crowd_tool_1", "crowd_tool_100")
}

func newQueue(seed uint64, o testDesk) *queue {
	return &queue{testDesk: o, Rand: rand.New(rand.NewPCG(seed, 1)), versions: map[string]int{}}
}

// anyOrder runs rounds with proposals about a fixed set of subjects and more.
func (q *queue) anyOrder(rounds int, more ...string) {
	subjects := append([]string{"list_0", "agent_0", "agent_1", "tool_0", "tool_1", "tool_2", "tool_3", "a_tool_4", "a_tool_5"}, more...)
	q.tryApprove(q.submit("list_0")) // agents refer to it
	passed, refused := 0, 0
	for range rounds {
		var shown []waiting
		for _, i := range q.Perm(len(subjects))[:2+q.IntN(4)] {
			shown = append(shown, q.submit(subjects[i]))
		}
		q.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
		for len(shown) > 0 {
			n := 1 + q.IntN(len(shown))
			if q.tryApprove(shown[:n]...) {
				passed++
			} else {
				refused++
				for i := range shown[:n] { // individually, each shown again
					if again := q.look(shown[i]); !q.tryApprove(again) {
						q.Fatalf("refused right after a look: %s", again.Subject)
					}
				}
			}
			shown = shown[n:]
		}
	}
	q.Logf("%d approvals as shown first, %d after another look", passed, refused)
	if passed == 0 || refused == 0 {
		q.Error("the test took one way only")
	}
	q.sound()
}

// TestListNamesToolsOfItsSet proposes a list together with its tools. There must be no finding that the registry lacks
// them (C46).
func TestListNamesToolsOfItsSet(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{Severities: map[string]rules.Severity{}})
	list := storetest.Prompt("clerks")
	list.Subject.Kind, list.ChangeSet = registry.KindList, "filing"
	list.Definition = registry.Definition{List: &registry.List{ID: "clerks", Name: "Clerks", Tools: []string{"file_invoices", "file_letters"}}}
	tool := storetest.Action("file_invoices")
	tool.ChangeSet = "filing"
	o.propose(scout, tool)
	var missing []string
	for _, f := range o.show(ada, o.propose(scout, list)).Assessment().Report.Findings {
		if f.Rule == "A108" {
			missing = append(missing, f.Passage)
		}
	}
	if !slices.Equal(missing, []string{"file_letters"}) {
		t.Errorf("A108 misses %q", missing)
	}
}
