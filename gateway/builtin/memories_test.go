package builtin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/internal/shortrun"
)

// remember stores a memory for ada and returns its id.
func (c *testDB) remember(t testing.TB, content, rest string) string {
	t.Helper()
	return c.ada(t, "create_memories", fmt.Sprintf(`{"content":%q%s}`, content, rest)).text("memory.id")
}

// search returns the contents of found memories, best match first.
func (c *testDB) search(t testing.TB, args string) string {
	t.Helper()
	out := c.ada(t, "search_memories", args)
	entries, _ := out.at("memories").([]any)
	var found []string
	last := 1.0
	for i := range entries {
		found = append(found, out.text(fmt.Sprintf("memories.%d.memory.content", i)))
		score, _ := out.at(fmt.Sprintf("memories.%d.score", i)).(float64)
		if score > last || score <= 0 {
			t.Errorf("score %v after %v in %v", score, last, out)
		}
		last = score
	}
	return strings.Join(found, "|")
}

func TestMemories(t *testing.T) {
	c := newTestDB(t)
	made := c.ada(t, "create_memories", `{"content":" Anna's birthday is on 3 May. ","kind":"event","importance":5,"project":"Family","tags":["birthday"]}`)
	expect(t, "trimmed", made.text("memory.content"), "Anna's birthday is on 3 May.")
	coffee := c.remember(t, "Ada drinks coffee without milk.", `,"kind":"preference","tags":["food & drink"]`)
	wifi := c.remember(t, "The router stands in the hall.", ``)
	expect(t, "newest first", c.ada(t, "get_memories", `{}`).column("memories", "content"), "The router stands in the hall.|Ada drinks coffee without milk.|Anna's birthday is on 3 May.")
	expect(t, "cut", c.ada(t, "get_memories", `{"limit":2}`).at("more"), any(true))
	expect(t, "kind", c.ada(t, "get_memories", `{"kind":"preference"}`).column("memories", "id"), coffee)
	expect(t, "project", c.ada(t, "get_memories", `{"project":"family"}`).column("memories", "kind"), "event")
	expect(t, "project and kind", c.ada(t, "get_memories", `{"project":"family","kind":"note"}`).column("memories", "kind"), "")
	expect(t, "tag", c.ada(t, "get_memories", `{"tag":"Food & Drink"}`).column("memories", "id"), coffee)
	expect(t, "tag, kind and project", c.ada(t, "get_memories", `{"tag":"birthday","kind":"event","project":"Family","since":"2027-01-01T00:00:00Z"}`).column("memories", "kind"), "event")
	expect(t, "one", c.ada(t, "get_memories", fmt.Sprintf(`{"id":%q,"kind":"note"}`, wifi)).column("memories", "id"), wifi)

	between := c.now.Add(time.Second / 2).Format(time.RFC3339Nano)
	changed := c.ada(t, "update_memories", fmt.Sprintf(`{"id":%q,"content":"Ada drinks tea with milk.","tags":["drinks"],"project":"Home","importance":4}`, coffee))
	expect(t, "kind is kept", changed.text("memory.kind"), "preference")
	expect(t, "changed is newest", c.ada(t, "get_memories", `{"limit":1}`).column("memories", "id"), coffee)
	expect(t, "since", c.ada(t, "get_memories", fmt.Sprintf(`{"since":%q}`, between)).column("memories", "id"), coffee)
	expect(t, "since, of a tag", c.ada(t, "get_memories", fmt.Sprintf(`{"since":%q,"tag":"birthday"}`, between)).column("memories", "id"), "")
	expect(t, "since later", c.ada(t, "get_memories", `{"since":"2030-01-01T00:00:00Z"}`).column("memories", "id"), "")
	expect(t, "a genitive", c.search(t, `{"query":"anna"}`), "Anna's birthday is on 3 May.")
	expect(t, "old words", c.search(t, `{"query":"coffee"}`), "")
	expect(t, "old tag", c.ada(t, "get_memories", `{"tag":"food & drink"}`).column("memories", "id"), "")
	expect(t, "new words", c.search(t, `{"query":"TEA"}`), "Ada drinks tea with milk.")
	expect(t, "no project", c.ada(t, "update_memories", fmt.Sprintf(`{"id":%q,"project":null}`, coffee)).text("memory.project"), "")
	expect(t, "not in the project any more", c.ada(t, "get_memories", `{"project":"Home"}`).column("memories", "id"), "")

	expect(t, "forgotten", c.ada(t, "delete_memories", fmt.Sprintf(`{"id":%q}`, coffee)).text("deleted"), coffee)
	expect(t, "not found", c.search(t, `{"query":"tea milk"}`), "")
	expect(t, "not listed", c.ada(t, "get_memories", `{"tag":"drinks"}`).column("memories", "id")+c.ada(t, "get_memories", fmt.Sprintf(`{"id":%q}`, coffee)).column("memories", "id"), "")
	for tool, args := range map[string]string{"delete_memories": `{"id":%q}`, "update_memories": `{"id":%q,"content":"x"}`, "link_memories": `{"id":%q,"to_entity":"Anna"}`} {
		c.refuses(t, "ada", tool, fmt.Sprintf(args, coffee), builtin.CodeNotFound, coffee)
		c.refuses(t, "bob", tool, fmt.Sprintf(args, wifi), builtin.CodeNotFound)
	}
	if out, err := c.as(t, "bob", "search_memories", `{"query":"router birthday"}`); err != nil || out.column("memories", "score") != "" || len(out.at("memories").([]any)) > 0 {
		t.Errorf("bob finds %v, %v", out, err)
	}
	if out, err := c.as(t, "bob", "get_memories", fmt.Sprintf(`{"id":%q}`, wifi)); err != nil || out.column("memories", "id") != "" {
		t.Errorf("bob reads %v, %v", out, err)
	}
	c.refuses(t, "ada", "create_memories", `{"content":"`+strings.Repeat("x", 2001)+`","kind":"idea","importance":9,"expires_at":"2020-01-01T00:00:00Z"}`,
		gateway.CodeArguments, "content: expected at most 2000 characters, got 2001", "kind", "importance", "expires_at: expected a time in the future")
	c.refuses(t, "ada", "update_memories", fmt.Sprintf(`{"id":%q,"content":" ","expires_at":"2020-01-01T00:00:00Z"}`, wifi), gateway.CodeArguments, "content", "expires_at")
}

func TestExpiredMemories(t *testing.T) {
	c := newTestDB(t)
	id := c.remember(t, "The lift is broken.", `,"expires_at":"2027-01-02T00:00:00Z","tags":["house"]`)
	c.ada(t, "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Lift","entity_type":"thing"}`, id))
	other := c.remember(t, "The cellar is dry.", `,"expires_at":"2027-01-02T00:00:00Z"`)
	c.ada(t, "update_memories", fmt.Sprintf(`{"id":%q,"expires_at":null}`, other))
	expect(t, "still true", c.search(t, `{"query":"lift"}`), "The lift is broken.")
	c.now = c.now.AddDate(0, 0, 1)
	expect(t, "not any more", c.search(t, `{"query":"lift cellar"}`), "The cellar is dry.")
	expect(t, "not listed", c.ada(t, "get_memories", `{}`).column("memories", "id"), other)
	expect(t, "no tag", c.ada(t, "get_memories", `{"tag":"house"}`).column("memories", "id"), "")
	expect(t, "no entity", c.ada(t, "get_entities", `{}`).column("entities", "id"), "")
	c.refuses(t, "ada", "update_memories", fmt.Sprintf(`{"id":%q,"expires_at":null}`, id), builtin.CodeNotFound)
}

func TestSearchMemories(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	for _, m := range []struct{ content, rest string }{
		{"Anna moved to Göteborg in 2024.", ``},
		{"Anna works at the harbour.", `,"importance":5`},
		{"The summer house is in Göteborg.", `,"project":"Sweden"`},
		{"Straße und Häuser wurden 1998 gebaut.", ``},
		{"Bookings are made by Jonas.", `,"tags":["harbour office"]`},
		{"東京に住んでいます", ``},
		{"She is allergic to nuts.", ``},
	} {
		c.remember(t, m.content, m.rest)
	}
	for query, want := range map[string]string{
		`{"query":"goteborg anna"}`:                       "Anna moved to Göteborg in 2024.|Anna works at the harbour.|The summer house is in Göteborg.",
		`{"query":"GÖTEBORG","project":"sweden"}`:         "The summer house is in Göteborg.",
		`{"query":"göteborg","kind":"note"}`:              "",
		`{"query":"strasse hauser"}`:                      "Straße und Häuser wurden 1998 gebaut.",
		`{"query":"booking"}`:                             "Bookings are made by Jonas.",
		`{"query":"harbour"}`:                             "Anna works at the harbour.|Bookings are made by Jonas.",
		`{"query":"sweden"}`:                              "The summer house is in Göteborg.",
		`{"query":"annas"}`:                               "Anna works at the harbour.|Anna moved to Göteborg in 2024.",
		`{"query":"jonas's bookings"}`:                    "Bookings are made by Jonas.",
		`{"query":"allergie"}`:                            "She is allergic to nuts.",
		`{"query":"goth"}`:                                "",
		`{"query":"東京"}`:                                  "東京に住んでいます",
		`{"query":"anna","limit":1}`:                      "Anna works at the harbour.",
		`{"query":"\" OR * NEAR(x) -- ' ) AND"}`:          "",
		`{"query":"?!"}`:                                  "",
		`{"query":"unicorn"}`:                             "",
		`{"query":"harbour","project":"no such project"}`: "",
	} {
		expect(t, query, c.search(t, query), want)
	}
	c.ada(t, "set_project", `{"project":"sweden"}`)
	expect(t, "the project is favoured", strings.SplitN(c.search(t, `{"query":"göteborg"}`), "|", 2)[0], "The summer house is in Göteborg.")

	allergic := c.ada(t, "get_memories", `{"limit":1}`).text("memories.0.id")
	c.ada(t, "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Nadja Öberg","entity_type":"person"}`, allergic))
	expect(t, "by whom it is about", c.search(t, `{"query":"nadja allergic"}`), "She is allergic to nuts.")
	expect(t, "by name alone", c.search(t, `{"query":"oberg"}`), "She is allergic to nuts.")
	cake := c.remember(t, "The cake had hazel in it.", ``)
	c.ada(t, "link_memories", fmt.Sprintf(`{"id":%q,"to_memory_id":%q,"relation":"explains"}`, allergic, cake))
	expect(t, "and where a link leads", c.search(t, `{"query":"nadja"}`), "She is allergic to nuts.|The cake had hazel in it.")
	expect(t, "both ways", c.search(t, `{"query":"hazel"}`), "The cake had hazel in it.|She is allergic to nuts.")
	expect(t, "not of another sort", c.search(t, `{"query":"nadja","kind":"event"}`), "")
	c.ada(t, "delete_memories", fmt.Sprintf(`{"id":%q}`, cake))
	expect(t, "not to what is gone", c.search(t, `{"query":"nadja"}`), "She is allergic to nuts.")
	c.refuses(t, "ada", "search_memories", `{"query":" ","limit":51}`, gateway.CodeArguments, "query", "limit")
}

// TestSearchAmongMany searches for memories that are neither rare nor new.
func TestSearchAmongMany(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	old := c.remember(t, "Ada's coffee comes from Kenya.", `,"importance":5`)
	here := c.remember(t, "Coffee for the office.", `,"project":"Office"`)
	both := c.remember(t, "Coffee and cake on Sundays.", ``)
	for i := range 500 {
		c.remember(t, fmt.Sprintf("Drank coffee number %d.", i), `,"importance":1`)
		if i < 450 {
			c.remember(t, fmt.Sprintf("Ate cake number %d.", i), `,"importance":1`)
		}
	}
	c.ada(t, "set_project", `{"project":"Office"}`)
	found := c.ada(t, "search_memories", `{"query":"coffee"}`)
	expect(t, "the one of the project", found.text("memories.0.memory.id"), here)
	expect(t, "the important one", found.text("memories.1.memory.id"), old)
	expect(t, "the one that has both", c.ada(t, "search_memories", `{"query":"coffee cake"}`).text("memories.0.memory.id"), both)
}
