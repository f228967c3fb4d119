package builtin_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"toolcrib/gateway/builtin"
	"toolcrib/store/storetest"
)

// sizes lists the numbers of tasks, memories and entities.
var sizes = []int{10, 100_000} //nolint:gochecknoglobals // a table

// fill gives ada n tasks, n memories and n entities, and bob as many memories,
// in turns, straight into the store.
func (c *testDB) fill(b *testing.B, n int) (task, memory string) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const batch = 2_000
	for from := 0; from < n; from += batch {
		for _, user := range []string{"ada", "bob"} {
			err := c.WriteAssistant(b.Context(), builtin.Owner{User: user}, c.now, func(w builtin.Writer) error {
				for i := from; i < min(from+batch, n); i++ {
					t := builtin.Task{ID: c.NewID(), Title: fmt.Sprintf("Task %d", i), Status: "open", Priority: "normal", Due: c.now.AddDate(0, 0, i%700-350), Created: c.now, Updated: c.now}
					m := builtin.Memory{ID: c.NewID(), Content: sentence(r, i), Kind: "fact", Importance: 1 + i%5, Tags: []string{"tag"}, Created: c.now, Updated: c.now}
					e := builtin.Entity{ID: c.NewID(), Name: fmt.Sprintf("Anna %s%d", syllables(r), i), Type: "person"}
					l := builtin.Link{Memory: m.ID, Target: e.ID, ToEntity: true, Relation: "about", At: c.now}
					if err := w.AddTask(b.Context(), t); err != nil {
						return err
					}
					if err := w.AddMemory(b.Context(), m, builtin.Terms(m.Content, "tag", e.Name)); err != nil {
						return err
					}
					if err := w.AddEntity(b.Context(), e, builtin.EntityKey(e.Name), builtin.EntityTerms(e.Name)); err != nil {
						return err
					}
					if _, err := w.AddLink(b.Context(), l); err != nil {
						return err
					}
					task, memory = t.ID, m.ID
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			if user == "ada" {
				c.lastTask, c.lastMemory = task, memory
			}
		}
	}
	return c.lastTask, c.lastMemory
}

func syllables(r *rand.Rand) string {
	var b strings.Builder
	for range 3 {
		b.WriteByte("bdfgklmnprst"[r.IntN(12)])
		b.WriteByte("aeiou"[r.IntN(5)])
	}
	return b.String()
}

// sentence returns a text with a word that occurs in every memory, one that occurs
// in every other, and rarer ones.
func sentence(r *rand.Rand, i int) string {
	words := []string{"coffee", []string{"even", "odd"}[i%2]}
	for range 12 {
		words = append(words, syllables(r)+syllables(r))
	}
	return strings.Join(words, " ")
}

func BenchmarkTools(b *testing.B) {
	for _, n := range sizes {
		image, err := storetest.Image(func(*storetest.Database) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		c := testDBOn(storetest.FromImage(b, image))
		task, memory := c.fill(b, n)
		rare := strings.Fields(c.ada(b, "get_memories", fmt.Sprintf(`{"id":%q}`, memory)).text("memories.0.content"))[5]
		for _, run := range []struct{ name, tool, args string }{
			{"create_tasks", "create_tasks", `{"tasks":[{"title":"x","due":"2027-05-01T00:00:00Z","tags":["a"]}]}`},
			{"create_tasks_50", "create_tasks", `{"tasks":[` + strings.Repeat(`{"title":"x"},`, 49) + `{"title":"x"}]}`},
			{"update_tasks", "update_tasks", fmt.Sprintf(`{"tasks":[{"id":%q,"notes":"%%d"}]}`, task)},
			{"get_tasks", "get_tasks", `{}`},
			{"get_tasks_due", "get_tasks", `{"due_after":"2027-03-01T00:00:00Z","status":"any"}`},
			{"create_memories", "create_memories", `{"content":"Somebody drank coffee in the garden of the summer house."}`},
			{"update_memories", "update_memories", fmt.Sprintf(`{"id":%q,"content":"coffee even %%d"}`, memory)},
			{"get_memories", "get_memories", `{"kind":"fact"}`},
			{"get_memories_tag", "get_memories", `{"tag":"tag"}`},
			{"search_rare", "search_memories", fmt.Sprintf(`{"query":%q}`, rare)},
			{"search_common", "search_memories", `{"query":"coffee"}`},
			{"search_both", "search_memories", `{"query":"coffee even"}`},
			{"search_never_together", "search_memories", `{"query":"even odd"}`},
			{"search_common_kind", "search_memories", `{"query":"coffee","kind":"fact"}`},
			{"search_common_none_of_kind", "search_memories", `{"query":"coffee","kind":"event"}`},
			{"search_nothing", "search_memories", `{"query":"xylophone"}`},
			{"get_entities", "get_entities", `{}`},
			{"search_entities", "search_entities", `{"query":"Anna Bodukifa"}`},
			{"search_entities_common", "search_entities", `{"query":"anna"}`},
			{"link_memories", "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Somebody"}`, memory)},
			{"get_context", "get_context", `{}`},
		} {
			b.Run(fmt.Sprintf("%s/%d", run.name, n), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					args := run.args
					if strings.Contains(args, "%d") {
						args = fmt.Sprintf(args, i)
					}
					if _, err := c.provider.Run(b.Context(), c.invocation("ada", run.tool, args)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
