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

// withMemories stores two memories for ada.
func withMemories(t *testing.T) (c *testDB, one, two string) {
	t.Helper()
	shortrun.OneGoroutine(t)
	c = newTestDB(t)
	return c, c.remember(t, "Ada bought a boat.", ``), c.remember(t, "The boat is called Maja.", ``)
}

func TestMemoriesAreLinkedOnce(t *testing.T) {
	c, one, two := withMemories(t)
	link := fmt.Sprintf(`{"id":%q,"to_memory_id":%q,"relation":"follows"}`, two, one)
	first := c.ada(t, "link_memories", link)
	expect(t, "created", first.at("created"), any(true))
	expect(t, "target", first.text("target"), one)
	expect(t, "again", c.ada(t, "link_memories", link).at("created"), any(false))
	expect(t, "another relation", c.ada(t, "link_memories", strings.Replace(link, "follows", "part_of", 1)).at("created"), any(true))
}

func TestEntitiesAreFoundInAnySpelling(t *testing.T) {
	c, one, two := withMemories(t)
	maja := c.link(t, two, "Mája  Boat", "thing")
	expect(t, "the same in another spelling", c.link(t, one, "maja boat", ""), maja)
	expect(t, "of the same type", c.link(t, one, "MAJA BOAT", "thing"), maja)
	boats := c.ada(t, "get_entities", `{"type":"thing"}`)
	expect(t, "alias", boats.at("entities.0.aliases.0"), any("maja boat"))
	expect(t, "memories", boats.at("entities.0.memories"), any(2.0))
	if person := c.link(t, one, "Maja Boat", "person"); person == maja {
		t.Error("a person is the boat")
	}
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Maja Boat"}`, two), gateway.CodeArguments, "person, thing")
}

func TestEntitiesGetATypeLater(t *testing.T) {
	c, one, two := withMemories(t)
	visby := c.link(t, one, "Visby", "")
	expect(t, "unknown type", c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q}`, visby)).text("entities.0.type"), "other")
	expect(t, "now known", c.link(t, two, "Visby", "place"), visby)
	expect(t, "known", c.ada(t, "get_entities", `{"type":"place"}`).column("entities", "name"), "Visby")
}

func TestLinksNeedOneTarget(t *testing.T) {
	c, one, _ := withMemories(t)
	for _, tt := range []struct{ args, refusal string }{
		{`{"id":%q}`, "expected a target"},
		{`{"id":%q,"to_memory_id":"x","to_entity":"y"}`, "expected one target"},
		{`{"id":%q,"to_entity":"  "}`, "to_entity"},
		{`{"id":%q,"to_entity":"..."}`, "letters"},
		{`{"id":%q,"to_entity":"x","relation":"likes","entity_type":"animal"}`, "relation"},
	} {
		c.refuses(t, "ada", "link_memories", fmt.Sprintf(tt.args, one), gateway.CodeArguments, tt.refusal)
	}
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_memory_id":%q}`, one, one), gateway.CodeArguments, "another memory")
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_memory_id":"nobody"}`, one), builtin.CodeNotFound, "nobody")
}

func TestLinksAreLimited(t *testing.T) {
	c, one, _ := withMemories(t)
	for i := range 100 {
		c.ada(t, "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Thing %d"}`, one, i))
	}
	c.refuses(t, "ada", "link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Thing 100"}`, one), builtin.CodeFull, "100")
}

// acquaintances has entities and memories of ada: Anna (with three memories, and in
// the one about the office), the office and Jonas.
type acquaintances struct {
	*testDB
	ofAnna                 []string // memories
	ofOffice               string
	anna, jonas, theOffice string
}

func withAcquaintances(t *testing.T) acquaintances {
	t.Helper()
	c := acquaintances{testDB: newTestDB(t)}
	for range 3 {
		m, anna := c.about(t, "Anna Lind", "person", `,"project":"Work"`)
		c.ofAnna, c.anna = append(c.ofAnna, m), anna
	}
	c.ofOffice, c.theOffice = c.about(t, "Harbour Office", "organisation", ``)
	c.link(t, c.ofOffice, "Anna Lind", "")
	_, c.jonas = c.about(t, "Jonas Åkesson", "person", `,"project":"Sailing"`)
	return c
}

func TestEntitiesAreListed(t *testing.T) {
	c := withAcquaintances(t)
	list := c.ada(t, "get_entities", `{}`)
	expect(t, "most memories first", list.column("entities", "name"), "Anna Lind|Harbour Office|Jonas Åkesson")
	expect(t, "how many", list.at("entities.0.memories"), any(4.0))
	for args, want := range map[string]string{
		`{"type":"person","limit":1}`:          "Anna Lind",
		`{"project":"sailing"}`:                "Jonas Åkesson",
		`{"project":"sailing","type":"place"}`: "",
	} {
		expect(t, args, c.ada(t, "get_entities", args).column("entities", "name"), want)
	}
	c.refuses(t, "ada", "get_entities", `{"type":"animal","limit":500}`, gateway.CodeArguments, "type", "limit")
}

func TestEntityShowsItsMemories(t *testing.T) {
	c := withAcquaintances(t)
	one := c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q,"limit":3}`, c.anna))
	expect(t, "newest first", one.text("memories.0.content"), "Something about Harbour Office")
	expect(t, "cut", one.at("more"), any(true))
}

func TestEntitiesFollowTheirMemories(t *testing.T) {
	c := withAcquaintances(t)
	c.ada(t, "update_memories", fmt.Sprintf(`{"id":%q,"project":"sailing"}`, c.ofAnna[0]))
	expect(t, "moved along", c.ada(t, "get_entities", `{"project":"sailing"}`).column("entities", "name"), "Anna Lind|Jonas Åkesson")
	for _, m := range c.ofAnna[1:] {
		c.ada(t, "delete_memories", fmt.Sprintf(`{"id":%q}`, m))
	}
	expect(t, "not of the project any more", c.ada(t, "get_entities", `{"project":"work"}`).column("entities", "name"), "")
	expect(t, "fewer", c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q}`, c.anna)).at("entities.0.memories"), any(2.0))
}

func TestEntityGoesWithItsLastMemory(t *testing.T) {
	c := withAcquaintances(t)
	c.ada(t, "delete_memories", fmt.Sprintf(`{"id":%q}`, c.ofOffice))
	expect(t, "gone", c.ada(t, "get_entities", fmt.Sprintf(`{"id":%q}`, c.theOffice)).column("entities", "id"), "")
	expect(t, "not found either", c.ada(t, "search_entities", `{"query":"Harbour Office"}`).column("entities", "score"), "")
	if again := c.link(t, c.ofAnna[0], "Harbour Office", ""); again == c.theOffice {
		t.Error("a deleted entity was restored")
	}
}

func TestEntitiesAreTheirOwners(t *testing.T) {
	c := withAcquaintances(t)
	for tool, args := range map[string]string{"get_entities": fmt.Sprintf(`{"id":%q}`, c.jonas), "search_entities": `{"query":"Jonas"}`} {
		if out, err := c.as(t, "bob", tool, args); err != nil || len(out.at("entities").([]any)) > 0 {
			t.Errorf("bob: %v, %v", out, err)
		}
	}
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
