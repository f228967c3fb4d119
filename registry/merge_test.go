package registry_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

// tool returns a live tool: "user/get_tides" with the given aliases.
func tool(layer registry.Layer, id string, edit func(*registry.Live)) registry.Live {
	d := actionTool()
	d.ID = id
	l := registry.Live{
		Subject: registry.Subject{Kind: registry.KindTool, Layer: layer, ID: id}, Version: 1,
		Definition: registry.Definition{Tool: &d},
	}
	if edit != nil {
		edit(&l)
	}
	return l
}

func core(l *registry.Live)        { l.Locked = true }
func deactivated(l *registry.Live) { l.Definition.Tool.Status = registry.Deactivated }

func aliased(aliases ...string) func(*registry.Live) {
	return func(l *registry.Live) { l.Definition.Tool.Aliases = aliases }
}

func in(category string) func(*registry.Live) {
	return func(l *registry.Live) { l.Definition.Tool.Category = category }
}

// shown writes entries as "layer/id", followed by the hidden ones in brackets.
func shown(entries []registry.Entry) string {
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = strings.TrimPrefix(e.Subject.String(), "tool:")
		for _, s := range e.Hides {
			list[i] += fmt.Sprintf("[%s]", s.Layer)
		}
	}
	return strings.Join(list, " ")
}

const (
	global = registry.LayerGlobal
	user   = registry.LayerUser
	novel  = registry.Layer("project/novel")
)

func TestMerge(t *testing.T) {
	tests := []struct {
		name  string
		lives []registry.Live
		want  string
	}{
		{"nothing", nil, ""},
		{"later layers override earlier ones", []registry.Live{tool(novel, "b", nil), tool(global, "a", nil), tool(user, "b", nil), tool(global, "b", nil), tool(user, "a", nil)}, "user/a[global] project/novel/b[user][global]"},
		{"core first, then by id", []registry.Live{tool(global, "zoo", core), tool(global, "b", nil), tool(global, "yak", core), tool(user, "a", nil)}, "global/yak global/zoo user/a global/b"},
		{"a deactivated override removes", []registry.Live{tool(global, "a", nil), tool(user, "a", deactivated), tool(global, "b", nil)}, "global/b"},
		{"an override of what is deactivated", []registry.Live{tool(global, "a", deactivated), tool(user, "a", nil)}, "user/a[global]"},
		{"core cannot be overridden", []registry.Live{tool(novel, "yak", nil), tool(global, "yak", core), tool(user, "yak", deactivated)}, "global/yak"},
		{"core cannot be an alias", []registry.Live{tool(global, "yak", core), tool(user, "a", aliased("x", "yak")), tool(global, "a", nil)}, "global/yak global/a"},
		{"nor can a core alias be taken", []registry.Live{tool(global, "yak", func(l *registry.Live) { core(l); aliased("ox")(l) }), tool(user, "ox", nil), tool(user, "b", aliased("ox"))}, "global/yak"},
		{"a lock elsewhere is none", []registry.Live{tool(global, "a", nil), tool(user, "a", core)}, "user/a[global]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := registry.Merge(tt.lives)
			if got := shown(m.Tools()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMergeAgents(t *testing.T) {
	agent := func(layer registry.Layer, id string, status registry.Status) registry.Live {
		return registry.Live{
			Subject:    registry.Subject{Kind: registry.KindAgent, Layer: layer, ID: id},
			Definition: registry.Definition{Agent: &registry.Agent{ID: id, Name: id, Status: status}},
		}
	}
	m := registry.Merge([]registry.Live{
		agent(global, "b", ""), agent(user, "b", ""), agent(global, "a", ""), agent(global, "c", ""), agent(user, "c", registry.Deactivated),
		tool(global, "b", nil),
	})
	if got := shown(m.Agents()); got != "agent:global/a agent:user/b[global]" {
		t.Errorf("got %s", got)
	}
	if got := shown(m.Tools()); got != "global/b" {
		t.Errorf("got %s", got)
	}
}

func TestByName(t *testing.T) {
	m := registry.Merge([]registry.Live{
		tool(global, "yak", func(l *registry.Live) { core(l); aliased("ox")(l) }),
		tool(global, "a", aliased("x", "gone", "b")),
		tool(global, "gone", deactivated),
		tool(global, "dead", func(l *registry.Live) { deactivated(l); aliased("deadx", "x")(l) }),
		tool(user, "b", aliased("x")),
		tool(user, "d", aliased("both")), tool(user, "c", aliased("both")),
		tool(global, "b", aliased("old")),
	})
	want := map[string]string{
		"yak": "global/yak", "ox": "global/yak", "a": "global/a",
		"x":    "user/b[global]", // the stronger layer
		"b":    "user/b[global]", // an id before an alias
		"both": "user/c",         // the first id
		"gone": "global/a",       // the alias of an active tool before a deactivated tool
		"dead": "global/dead", "deadx": "global/dead",
		"old": "", // hidden tools have no alias
		"no":  "", "": "",
	}
	together, err := m.ByName(t.Context(), slices.Collect(maps.Keys(want))...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range want {
		alone, err := m.ByName(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range []map[string]registry.Entry{alone, together} {
			got := ""
			if e, ok := found[name]; ok {
				got = shown([]registry.Entry{e})
			}
			if got != want {
				t.Errorf("%q is %s, want %s", name, got, want)
			}
		}
	}
}

func TestByCategory(t *testing.T) {
	m := registry.Merge([]registry.Live{
		tool(global, "b", in("web")), tool(global, "a", in("web")), tool(global, "moved", in("web")), tool(user, "moved", in("email")),
		tool(global, "off", func(l *registry.Live) { in("web")(l); deactivated(l) }), tool(global, "yak", func(l *registry.Live) { in("web")(l); core(l) }),
	})
	for category, want := range map[string]string{"web": "global/yak global/a global/b", "email": "user/moved[global]", "tasks": ""} {
		entries, err := m.ByCategory(t.Context(), category)
		if got := shown(entries); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", category, got, err, want)
		}
	}
}

// randomLives returns some definitions in three layers, some of them locked,
// deactivated, or with aliases.
func randomLives(rng *rand.Rand, names []string) []registry.Live {
	layers := []registry.Layer{global, user, novel}
	var lives []registry.Live
	taken := map[registry.Subject]bool{}
	for range rng.IntN(8) {
		l := tool(layers[rng.IntN(3)], names[rng.IntN(5)], func(l *registry.Live) {
			l.Locked = rng.IntN(4) == 0
			if rng.IntN(3) == 0 {
				aliased(names[rng.IntN(5)], names[rng.IntN(5)])(l)
			}
			if rng.IntN(4) == 0 && !l.Core() {
				deactivated(l)
			}
		})
		if !taken[l.Subject] {
			taken[l.Subject] = true
			lives = append(lives, l)
		}
	}
	return lives
}

// TestMergeProperties checks random definitions: core tools are never hidden, every
// visible tool is found by its id, and layers outside of the view have no effect.
func TestMergeProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	names := []string{"a", "b", "c", "d", "e"}
	for range 2_000 {
		lives := randomLives(rng, names)
		m := registry.Merge(lives)
		for _, l := range lives {
			found, _ := m.ByName(t.Context(), l.Subject.ID)
			if e := found[l.Subject.ID]; l.Core() && e.Subject != l.Subject {
				t.Fatalf("the core tool %s is hidden by %s", l.Subject, e.Subject)
			}
		}
		for _, e := range m.Tools() {
			if found, _ := m.ByName(t.Context(), e.Subject.ID); found[e.Subject.ID].Subject != e.Subject {
				t.Fatalf("%s was not found by its id", e.Subject)
			}
		}
		// The same with a view of all layers.
		var inView []registry.Live
		for _, l := range lives {
			if l.Subject.Layer != novel {
				inView = append(inView, l)
			}
		}
		less := registry.Layered{Finder: finder(lives), View: user.View()}
		want := registry.Merge(inView)
		for most := range 4 {
			kind := registry.ActionTool
			all, _, _ := want.ByKind(t.Context(), kind, 0)
			got, more, err := less.ByKind(t.Context(), kind, most)
			core := len(slices.DeleteFunc(slices.Clone(all), func(e registry.Entry) bool { return !e.Core() }))
			if wanted := all[:min(len(all), core+most)]; most > 0 {
				if err != nil || shown(got) != shown(wanted) || more != (len(wanted) < len(all)) {
					t.Fatalf("the first %d of the kind are %s, %v (%v); want %s of %s", most, shown(got), more, err, shown(wanted), shown(all))
				}
			} else if shown(got) != shown(all) || more {
				t.Fatalf("all of the kind are %s, want %s", shown(got), shown(all))
			}
		}
		together, _ := less.ByName(t.Context(), names...)
		for _, name := range names {
			found, _ := less.ByName(t.Context(), name)
			all, _ := want.ByName(t.Context(), name)
			for _, got := range []registry.Entry{found[name], together[name]} {
				if wanted := all[name]; got.Subject != wanted.Subject || !slices.Equal(got.Hides, wanted.Hides) {
					t.Fatalf("%s is %v %v in the view, %v %v without other layers", name, got.Subject, got.Hides, wanted.Subject, wanted.Hides)
				}
			}
		}
	}
}
