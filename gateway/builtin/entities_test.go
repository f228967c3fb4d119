package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/internal/shortrun"
)

// about stores a memory about an entity for ada and returns both ids.
func (c *testDB) about(t testing.TB, name, kind, rest string) (memory, entity string) {
	t.Helper()
	memory = c.remember(t, "Something about "+name, rest)
	return memory, c.link(t, memory, name, kind)
}

func (c *testDB) link(t testing.TB, memory, name, kind string) string {
	t.Helper()
	args := fmt.Sprintf(`{"id":%q,"to_entity":%q}`, memory, name)
	if kind != "" {
		args = fmt.Sprintf(`{"id":%q,"to_entity":%q,"entity_type":%q}`, memory, name, kind)
	}
	return c.ada(t, "link_memories", args).text("target")
}

func TestLinks(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	one, two := c.remember(t, "Ada bought a boat.", ``), c.remember(t, "The boat is called Maja.", ``)
	link := fmt.Sprintf(`{"id":%q,"to_memory_id":%q,"relation":"follows"}`, two, one)
	first := c.ada(t, "link_memories", link)
	expect(t, "created", first.at("created"), any(true))
	expect(t, "target", first.text("target"), one)
	expect(t, "again", c.ada(t, "link_memories", link).at("created"), any(false))
	expect(t, "another relation", c.ada(t, "link_memories", strings.Replace(link, "follows", "part_of", 1)).at("created"), any(true))

	maja := c.link(t, two, "Mája  Boat", "thing")
	expect(t, "the same in another spelling", c.link(t, one, "maja boat", ""), maja)
	expect(t, "of the same type", c.link(t, one, "MAJA BOAT", "thing"), maja)
	if person := c.link(t, one, "Maja Boat", "person"); person == maja {
		t.Error("a person is the boat")
	}
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Maja Boat"}`, two), gateway.CodeArguments, "person, thing")
	boats := c.ada(t, "get_entities", `{"type":"thing"}`)
	expect(t, "alias", boats.at("entities.0.aliases.0"), any("maja boat"))
	expect(t, "memories", boats.at("entities.0.memories"), any(2.0))
	some := c.link(t, one, "Visby", "")
	expect(t, "unknown type", c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q}`, some)).text("entities.0.type"), "other")
	expect(t, "now known", c.link(t, two, "Visby", "place"), some)
	expect(t, "known", c.ada(t, "get_entities", `{"type":"place"}`).column("entities", "name"), "Visby")

	for args, says := range map[string]string{
		`{"id":%q}`: "expected a target", `{"id":%q,"to_memory_id":"x","to_entity":"y"}`: "expected one target", `{"id":%q,"to_entity":"  "}`: "to_entity",
		`{"id":%q,"to_entity":"..."}`: "letters", `{"id":%q,"to_entity":"x","relation":"likes","entity_type":"animal"}`: "relation",
	} {
		c.refuses(t, "ada", "link_memories", fmt.Sprintf(args, one), gateway.CodeArguments, says)
	}
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_memory_id":%q}`, one, one), gateway.CodeArguments, "another memory")
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_memory_id":"nobody"}`, one), builtin.CodeNotFound, "nobody")
	for i := range 100 {
		args := fmt.Sprintf(`{"id":%q,"to_entity":"Thing %d"}`, two, i)
		if i >= 96 { // four were there
			c.refuses(t, "ada", "link_memories", args, builtin.CodeFull, "100")
			continue
		}
		c.ada(t, "link_memories", args)
	}
}

func TestEntities(t *testing.T) {
	c := newTestDB(t)
	var memories []string
	for range 3 {
		m, _ := c.about(t, "Anna Lind", "person", `,"project":"Work"`)
		memories = append(memories, m)
	}
	m, harbour := c.about(t, "Harbour Office", "organisation", ``)
	c.link(t, m, "Anna Lind", "")
	_, jonas := c.about(t, "Jonas Åkesson", "person", `,"project":"Sailing"`)
	list := c.ada(t, "get_entities", `{}`)
	expect(t, "most memories first", list.column("entities", "name"), "Anna Lind|Harbour Office|Jonas Åkesson")
	expect(t, "how many", list.at("entities.0.memories"), any(4.0))
	expect(t, "type", c.ada(t, "get_entities", `{"type":"person","limit":1}`).column("entities", "name"), "Anna Lind")
	expect(t, "project", c.ada(t, "get_entities", `{"project":"sailing"}`).column("entities", "name"), "Jonas Åkesson")
	expect(t, "project and type", c.ada(t, "get_entities", `{"project":"sailing","type":"place"}`).column("entities", "name"), "")
	anna := list.text("entities.0.id")
	one := c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q,"limit":3}`, anna))
	expect(t, "its memories, newest first", one.text("memories.0.content"), "Something about Harbour Office")
	expect(t, "cut", one.at("more"), any(true))

	c.ada(t, "update_memories", fmt.Sprintf(`{"id":%q,"project":"sailing"}`, memories[0]))
	expect(t, "moved along", c.ada(t, "get_entities", `{"project":"sailing"}`).column("entities", "name"), "Anna Lind|Jonas Åkesson")
	for _, m := range memories[1:] {
		c.ada(t, "delete_memories", fmt.Sprintf(`{"id":%q}`, m))
	}
	expect(t, "not of the project any more", c.ada(t, "get_entities", `{"project":"work"}`).column("entities", "name"), "")
	expect(t, "fewer", c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q}`, anna)).at("entities.0.memories"), any(2.0))
	c.ada(t, "delete_memories", fmt.Sprintf(`{"id":%q}`, m))
	expect(t, "gone with its last memory", c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q}`, harbour)).column("entities", "id"), "")
	expect(t, "not found either", c.ada(t, "search_entities", `{"query":"Harbour Office"}`).column("entities", "score"), "")
	if again := c.link(t, memories[0], "Harbour Office", ""); again == harbour {
		t.Error("what was deleted came back")
	}
	for tool, args := range map[string]string{"get_entities": fmt.Sprintf(`{"id":%q}`, jonas), "search_entities": `{"query":"Jonas"}`} {
		if out, err := c.as(t, "bob", tool, args); err != nil || len(out.at("entities").([]any)) > 0 {
			t.Errorf("bob: %v, %v", out, err)
		}
	}
	c.refuses(t, "ada", "get_entities", `{"type":"animal","limit":500}`, gateway.CodeArguments, "type", "limit")
}

func TestSearchEntities(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	for _, e := range []struct{ name, kind string }{
		{"Anna Lindqvist", "person"},
		{"Annika Lind", "person"},
		{"John Smith", "person"},
		{"Jörg Müller", "person"},
		{"Müller GmbH", "organisation"},
		{"Visby", "place"},
		{"東京タワー", "place"},
	} {
		c.about(t, e.name, e.kind, ``)
	}
	first := func(args string) string {
		return c.ada(t, "search_entities", args).text("entities.0.entity.name")
	}
	for query, want := range map[string]string{
		"Anna": "Anna Lindqvist", "lindquist": "Anna Lindqvist", "Jhon Smith": "John Smith", "smith john": "John Smith", "jon smyth": "John Smith",
		"Joerg Mueller": "Jörg Müller", "mull gmb": "Müller GmbH", "Wisby": "Visby", "東京": "東京タワー", "Xanthippe": "", "?": "",
	} {
		expect(t, query, first(fmt.Sprintf(`{"query":%q}`, query)), want)
	}
	expect(t, "of a type", first(`{"query":"Müller","type":"organisation"}`), "Müller GmbH")
	expect(t, "the very name", c.ada(t, "search_entities", `{"query":"visby","limit":1}`).at("entities.0.score"), any(1.0))
	c.refuses(t, "ada", "search_entities", `{"query":"","type":"x"}`, gateway.CodeArguments, "query", "type")
}
