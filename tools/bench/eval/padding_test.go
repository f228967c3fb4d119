package main

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// additions put honest text around what is there.
// Those of a clause or of words go on where the text ends.
var additions = map[string]func(string) string{
	"a clause behind": func(s string) string {
		return strings.TrimRight(s, ".! \n") + ", for example the name of a project, the id of an issue, the number of results per page, or the date in ISO 8601 format."
	},
	"a clause in a row": func(s string) string {
		return strings.TrimRight(s, ".! \n") + ", and list the rows by name, with the date of each."
	},
	"a row of nouns": func(s string) string {
		return strings.TrimRight(s, ".! \n") + ", the name of the project, the number of rows, and the date of each."
	},
	"words behind": func(s string) string {
		return strings.TrimRight(s, ".! \n") + " so that the list of results is sorted by name and each page has the same number of rows."
	},
	"sentences behind": func(s string) string {
		return strings.TrimRight(s, ".! \n") + ". Returns at most 50 rows, sorted by name. Dates are in ISO 8601 format. An empty list means that nothing was found."
	},
	"paragraphs behind": func(s string) string {
		const page = "\n\nThe list has one row for each project, with its name, its owner and the date of the last change."
		return s + strings.Repeat(page, 8)
	},
	"a paragraph before": func(s string) string {
		return "The list has one row for each project, with its name and the date of the last change.\n\n" + s
	},
}

// ownTexts reads our own texts once for all tests.
var ownTexts = sync.OnceValues(func() ([]ownSample, error) { return ownSamples(repository()) })

// metamorphic are the samples of the tests below: our own texts, and the labelled data
// where they are.
func metamorphic(t *testing.T) []*sample {
	t.Helper()
	shortrun.OneGoroutine(t)
	own, err := ownTexts()
	if err != nil {
		t.Fatal(err)
	}
	var list []*sample
	for i := range own {
		list = append(list, &own[i].sample)
	}
	if dir := os.Getenv("TOOLCRIB_EVAL_DATA"); dir != "" {
		more, err := loadCorpus(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range more {
			list = append(list, &more[i])
		}
	} else {
		t.Log("our own texts alone: TOOLCRIB_EVAL_DATA names no folder with labelled data")
	}
	every := uint32(shortrun.Every(64))
	return slices.DeleteFunc(list, func(s *sample) bool {
		if s.draft == nil || s.draft.Definition.Tool == nil || len(*textOf(s.draft)) == 0 || s.size > 20<<10 {
			return true
		}
		h := fnv.New32a()
		h.Write([]byte(*textOf(s.draft)))
		return h.Sum32()>>8%every != 0
	})
}

// textOf returns the description of an action tool, the prompt of another.
func textOf(d *proposals.Draft) *string {
	if t := d.Definition.Tool; t.Kind == registry.ActionTool {
		return &t.Description
	}
	return &d.Definition.Tool.Prompt
}

// with returns s with another text.
func (s *sample) with(text string) *proposals.Draft {
	d, tool := *s.draft, *s.draft.Definition.Tool
	d.Definition.Tool = &tool
	*textOf(&d) = text
	return &d
}

// worstIn returns the worst severity that the rules give a draft, with the rule, and
// whether it is of another text than the description or prompt.
func worstIn(t *testing.T, set ruleset.Set, s *sample, d *proposals.Draft) (worst rules.Severity, rule string, elsewhere bool) {
	t.Helper()
	alone := *s
	if len(s.raw) > 0 { // what an import pins has the description too
		alone.raw = describedAs(t, s.raw, *textOf(d))
	}
	found, err := alone.findings(t.Context(), set, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	worst = rules.Off
	for _, f := range found {
		if f.Severity.Rank() > worst.Rank() {
			worst, rule, elsewhere = f.Severity, f.Rule, f.Path != "definition.description" && f.Path != "definition.prompt"
		}
	}
	return worst, rule, elsewhere
}

// describedAs returns the JSON of a tool with another description.
func describedAs(t *testing.T, raw json.RawMessage, text string) json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	described, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	fields["description"] = described
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mostLowered is the share of attacks, in percent, that may get a lower severity by an
// addition. A sentence or paragraph that is added changes nothing in a tool; in a prompt
// it may have the words that a line alone had. A row of nouns behind a comma is
// judged apart from the attack, but for a margin (partial in package wording).
var mostLowered = map[string]float64{
	"a clause behind": 2, "a clause in a row": 2, "a row of nouns": 30, "words behind": 2, "sentences behind": 1, "paragraphs behind": 1, "a paragraph before": 3,
}

// TestAddingHonestTextLowersNothing adds clauses, sentences and paragraphs to attacks:
// hardly one gets a lower severity by it.
func TestAddingHonestTextLowersNothing(t *testing.T) {
	set, err := ruleset.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	tried, fell := map[string]int{}, map[string]int{}
	for _, s := range metamorphic(t) {
		if !s.attack {
			continue
		}
		before, rule, elsewhere := worstIn(t, set, s, s.draft)
		if before.Rank() < rules.Warn.Rank() {
			continue
		}
		for name, add := range additions {
			if elsewhere && (strings.HasPrefix(name, "a clause") || name == "a row of nouns" || name == "words behind" || name == "a paragraph before") {
				continue // it would change what the tool says it is for
			}
			tried[name]++
			text := add(*textOf(s.draft))
			if after, _, _ := worstIn(t, set, s, s.with(text)); after.Rank() < before.Rank() {
				fell[name]++
				t.Logf("%s, %s: %s falls to %s (%s): %q", s.set, name, before, after, rule, text[:min(len(text), 300)])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(additions)) {
		t.Logf("%s: %d of %d fall", name, fell[name], tried[name])
		if percent(fell[name], tried[name]) > mostLowered[name] {
			t.Errorf("%s: %d of %d fall", name, fell[name], tried[name])
		}
	}
}

// TestAddingAnotherToolLowersNothing has a server list an attack beside honest tools,
// before it and behind it, one of which is live already, and gives the server other
// names: what the rules find in the attack is the same.
func TestAddingAnotherToolLowersNothing(t *testing.T) {
	set, err := ruleset.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	hours := json.RawMessage(`{"name":"get_hours","description":"Returns the opening hours of a shop. Ask the user before you call it twice.","inputSchema":{"type":"object","properties":{"shop":{"type":"string","description":"Name of the shop"}}}}`)
	shelves := json.RawMessage(`{"name":"list_shelves","description":"Lists the shelves of a shop, never its prices.","inputSchema":{"type":"object"}}`)
	live := registry.Live{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_hours"}, Version: 1, Definition: toolDraft("own", hours).Definition}
	tried := 0
	for _, s := range metamorphic(t) {
		if !s.attack || s.prompt {
			continue
		}
		raw, err := json.Marshal(map[string]any{"name": s.draft.Definition.Tool.ID, "description": s.draft.Definition.Tool.Description, "inputSchema": s.draft.Definition.Tool.InputSchema})
		if err != nil {
			t.Fatal(err)
		}
		verdict := func(server string, world rules.World, list ...json.RawMessage) string {
			draft := listedDraft(server, list, s.draft.Definition.Tool.ID)
			if draft == nil {
				t.Fatalf("%s is not imported: %s", s.draft.Definition.Tool.ID, raw)
			}
			return verdictOf(t, set, &rules.Change{Isolated: true, World: world, Draft: *draft, Source: raw})
		}
		before := verdict("own", rules.Memory(nil), raw)
		if before == "" {
			continue
		}
		tried++
		for _, list := range [][]json.RawMessage{{raw, shelves}, {hours, raw}, {shelves, hours, raw}} {
			if after := verdict("own", rules.Memory{live}, list...); after != before {
				t.Errorf("%s beside other tools, %s alone: %s", after, before, raw)
			}
		}
		for _, server := range []string{"srv7", "a7"} {
			if after := verdict(server, rules.Memory(nil), raw); after != before {
				t.Errorf("%s of a server %s, %s of another: %s", after, server, before, raw)
			}
		}
	}
	t.Logf("%d attacks", tried)
}

// verdictOf lists the rules of S and P that warn of c or block it.
func verdictOf(t *testing.T, set ruleset.Set, c *rules.Change) string {
	t.Helper()
	found, err := set.CheckFamilies(t.Context(), c, "SP")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range found {
		if f.Severity.Rank() >= rules.Warn.Rank() {
			list = append(list, f.Rule+" "+string(f.Severity))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestRemovingSentencesRaisesNothing takes sentences out of honest text: hardly any of
// what is left gets a higher severity by it. What a tool says first stays: that is its
// purpose, by which the rest is judged.
func TestRemovingSentencesRaisesNothing(t *testing.T) {
	set, err := ruleset.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	tried, rose := 0, 0
	for _, s := range metamorphic(t) {
		if s.attack {
			continue
		}
		before, _, _ := worstIn(t, set, s, s.draft)
		for _, text := range shortened(*textOf(s.draft)) {
			tried++
			if after, rule, _ := worstIn(t, set, s, s.with(text)); after.Rank() > max(before.Rank(), rules.Info.Rank()) {
				rose++
				t.Logf("%s: %s rises to %s (%s): %q", s.set, before, after, rule, text[:min(len(text), 300)])
			}
		}
	}
	t.Logf("%d of %d rise", rose, tried)
	if percent(rose, tried) > 1 {
		t.Errorf("%d of %d rise", rose, tried)
	}
}

// shortened returns text without its second sentence, its last one, and every other
// one, of a long text paragraphs; nothing when it has fewer than three.
func shortened(text string) []string {
	sep := ". "
	if strings.Count(text, "\n\n") > 3 {
		sep = "\n\n"
	}
	parts := strings.Split(text, sep)
	if len(parts) < 3 {
		return nil
	}
	var odd []string
	for i, p := range parts {
		if i%2 == 0 {
			odd = append(odd, p)
		}
	}
	return []string{
		strings.Join(slices.Concat(parts[:1], parts[2:]), sep),
		strings.Join(parts[:len(parts)-1], sep),
		strings.Join(odd, sep),
	}
}
