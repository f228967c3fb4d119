package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// fullTool and fullAgent have all keys.
const fullTool = `{"id":"scene_pacer","kind":"action","name":"Scene Pacer","archetype":"Editor","scope":"file",
"usageNotes":"When a scene drags.\nNot for outlines.","goals":"Name slow passages.","guardrails":"No rewriting.","prompt":"Read the scene.\n\nReport slow passages.\nCite lines.",
"description":"Finds slow passages.","shortDescription":"Slow passages",
"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where the scene is."},"mode":{"type":"string","enum":["fast","slow"]}},"required":["path"]},
"outputSchema":{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]},
"category":"analysis","tier":"low","aliases":["pacer","pace_finder"],"deferLoading":true,
"annotations":{"readOnly":true,"destructive":false,"idempotent":true,"requiresConfirmation":false,"openWorld":false},
"approval":{"tier":"user_configurable","default":"requires_approval"},"availability":{"localOnly":true,"nonLocalOnly":true,"needsEmbedding":true},
"tag":{"prefix":"PACE","argPattern":"(.+) (.+)","argGroups":["path","mode"],"example":"PACE: a b","stripFromDisplay":true},
"limits":{"cooldownSeconds":5,"dailyLimit":20},"cost":"cheap","requiresGate":true,
"guidance":{"web":"Offer it.","telegram":"Be short."},
"provider":{"type":"mcp","name":"pace","server":"prose","url":"http://127.0.0.1/x"},"source":{"type":"mcp","ref":"prose/pace","hash":"00ff"},"status":"deactivated"}`

const fullAgent = `{"id":"assistant","name":"Assistant","description":"Helps.","vibe":"calm","soul":"Patient.\nHonest.","promptTemplate":"$identity\n\n$soul\n","operatingModel":"Ask first.",
"interactionLearning":"Notice what helps.","channelGuidance":{"web":"Use Markdown.","scheduled":"Be complete."},"sessionOpen":{"bootstrap":"Welcome.","returning":"Good to see you."},"onboarding":"Say hello.",
"allowList":{"name":"mine","tools":["get_tasks","create_tasks","delete_tasks"],"categories":["tasks"],"tier":["low"],"addWhenNonLocal":["get_gmail"],"excludeInLocal":["search_gmail"],"addWhenEmbeddingOK":["search_memories"]},
"categories":["memory","web"],"timezone":"Europe/Berlin","features":{"drafts":false,"missions_enabled":true},"status":"deactivated"}`

func decode(t *testing.T, kind registry.Kind, data string) registry.Definition {
	t.Helper()
	d, err := registry.DecodeDefinition(kind, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parse(t *testing.T, data string) *jsondoc.Node {
	t.Helper()
	n, err := jsondoc.Parse([]byte(data), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func full(t *testing.T, kind registry.Kind) (registry.Definition, *jsondoc.Node) {
	t.Helper()
	data := fullTool
	if kind == registry.KindAgent {
		data = fullAgent
	}
	d, n := decode(t, kind, data), parse(t, data)
	for _, key := range d.Keys() {
		if n.Get(key) == nil {
			t.Fatalf("the full %s does not have %q; add it", kind, key)
		}
	}
	return d, n
}

// leaves returns the paths of all plain values in n.
func leaves(n *jsondoc.Node) []string {
	var paths []string
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		if v.Kind != jsondoc.Object && v.Kind != jsondoc.Array {
			paths = append(paths, path())
		}
		return true
	})
	return paths
}

// change replaces the value at path by another valid value.
func change(n *jsondoc.Node, path, to string) {
	switch v := n.Find(path); v.Kind {
	case jsondoc.String:
		v.Text = to
	case jsondoc.Number:
		v.Text += "7"
	case jsondoc.Bool:
		v.Text = map[string]string{"true": "false", "false": "true"}[v.Text]
	case jsondoc.Null, jsondoc.Array, jsondoc.Object:
	}
}

// covers reports whether one of fields is at path or contains it.
func covers(fields []diff.Field, path string) bool {
	return slices.ContainsFunc(fields, func(f diff.Field) bool {
		return f.Path == path || strings.HasPrefix(path, f.Path+".") || strings.HasPrefix(path, f.Path+"[")
	})
}

// TestNoChangeIsHidden changes every value of full definitions and checks that the
// diff covers it.
func TestNoChangeIsHidden(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, kind := range []registry.Kind{registry.KindTool, registry.KindAgent} {
		before, n := full(t, kind)
		for _, path := range leaves(n) {
			_, n := full(t, kind)
			change(n, path, "changed")
			after, ps := registry.BindDefinition(kind, n, jsondoc.Root)
			if len(ps) > 0 {
				t.Fatalf("%s: %v", path, ps)
			}
			fields := diff.Definitions(before, after)
			if len(fields) != 1 || !covers(fields, path) {
				t.Errorf("a change of %s is shown as %v", path, paths(fields))
			}
			for _, f := range fields {
				checkField(t, f)
			}
		}
		if fields := diff.Definitions(before, before); fields != nil {
			t.Errorf("unchanged definitions have the changes %v", paths(fields))
		}
	}
}

func paths(fields []diff.Field) []string {
	var ps []string
	for _, f := range fields {
		ps = append(ps, string(f.Change)+" "+f.Path)
	}
	return ps
}

// checkField checks the kind of a field and that it has text.
func checkField(t *testing.T, f diff.Field) {
	t.Helper()
	if (f.Change == diff.Added) != (f.Before == nil) || (f.Change == diff.Removed) != (f.After == nil) {
		t.Errorf("%s is %s, and has %v and %v", f.Path, f.Change, f.Before, f.After)
	}
	if len(f.Hunks(3)) == 0 {
		t.Errorf("%s has no hunks", f.Path)
	}
}

func TestDefinitionsInDeclaredOrder(t *testing.T) {
	for _, kind := range []registry.Kind{registry.KindTool, registry.KindAgent} {
		d, _ := full(t, kind)
		for _, fields := range [][]diff.Field{diff.Definitions(registry.Definition{}, d), diff.Definitions(d, registry.Definition{})} {
			var got []string
			for _, f := range fields {
				checkField(t, f)
				key := f.Path[:len(f.Path)-len(strings.TrimLeft(f.Path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))]
				if len(got) == 0 || got[len(got)-1] != key {
					got = append(got, key)
				}
			}
			if !slices.Equal(got, d.Keys()) {
				t.Errorf("got  %v\nwant %v", got, d.Keys())
			}
		}
	}
}

func TestToolBecomesAgent(t *testing.T) {
	tool, _ := full(t, registry.KindTool)
	agent, _ := full(t, registry.KindAgent)
	fields := diff.Definitions(tool, agent)
	if got := paths(fields); !slices.Equal(got, []string{"modified $"}) {
		t.Fatalf("got %v", got)
	}
	checkField(t, fields[0])
}

func TestValues(t *testing.T) {
	tests := []struct {
		name, before, after string
		want                []string
	}{
		{"the same in other words", `{"a":1.0,"b":[2]}`, `{"b":[2],"a":1}`, nil},
		{"deep in a schema", `{"properties":{"x":{"description":"a"}}}`, `{"properties":{"x":{"description":"b"}}}`, []string{"modified properties.x.description: -a +b"}},
		{"a property more", `{"properties":{"x":{}}}`, `{"properties":{"x":{},"y":{"type":"string"}}}`, []string{`added properties.y: +{ +  "type": "string" +}`}},
		{"an odd key", `{"p":{}}`, `{"p":{"a b":true}}`, []string{`added p["a b"]: +true`}},
		{"list as a set", `{"tools":["a","b","c"]}`, `{"tools":["a","c","d"]}`, []string{"modified tools: a -b c +d"}},
		{"list emptied", `{"l":["a"]}`, `{"l":[]}`, []string{"modified l: -a"}},
		{"empty list", `{}`, `{"l":[]}`, []string{"added l: +[]"}},
		{"empty object", `{"o":{}}`, `{}`, []string{"removed o: -{}"}},
		{"empty text", `{}`, `{"s":""}`, []string{`added s: +""`}},
		{"a line appended", `{"s":"a"}`, `{"s":"a\nb"}`, []string{"modified s: a +b"}},
		{"a newline appended", `{"s":"a"}`, `{"s":"a\n"}`, []string{"modified s: a +"}},
		{"only a newline", `{"s":""}`, `{"s":"\n"}`, []string{"modified s: +"}},
		{"null is a value", `{"s":null}`, `{}`, []string{"removed s: -null"}},
		{"a number is not a string", `{"n":1}`, `{"n":"1"}`, []string{`modified n: -1 +"1"`}},
		{"also in a list", `{"n":[1]}`, `{"n":["1"]}`, []string{`modified n: -1 +"1"`}},
		{"a list for its element", `["a"]`, `"a"`, []string{`modified $: -[ -  "a" -] +"a"`}},
		{"digits beyond a double", `12345678901234567890`, `12345678901234567891`, []string{"modified $: -12345678901234567890 +12345678901234567891"}},
		{
			"elements by what they are",
			`{"anyOf":[{"const":"one","title":"first of them"},{"const":"two","title":"second of them"}]}`,
			`{"anyOf":[{"const":"new"},{"const":"one","title":"first of them"},{"const":"two","title":"second of all"}]}`,
			[]string{`added anyOf[0]: +{ +  "const": "new" +}`, "modified anyOf[2].title: -second of them +second of all"},
		},
		{
			"an element gone",
			`[{"a":1,"b":"x"},{"c":3,"d":"y"}]`, `[{"c":3,"d":"y"}]`,
			[]string{`removed [0]: -{ -  "a": 1, -  "b": "x" -}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range diff.Values(parse(t, tt.before), parse(t, tt.after)) {
				checkField(t, f)
				s := fmt.Sprintf("%s %s:", f.Change, f.Path)
				for _, h := range f.Hunks(3) {
					for _, l := range h.Lines {
						s += strings.TrimRight(" "+[]string{"", "-", "+"}[l.Kind]+l.Text, " ")
					}
				}
				got = append(got, s)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// value returns a random JSON value.
func value(r *rand.Rand, depth int) *jsondoc.Node {
	switch k := r.IntN(8); {
	case k < 2 && depth > 0:
		o := jsondoc.NewObject()
		for range r.IntN(4) {
			o.Set(string(rune('a'+r.IntN(5))), value(r, depth-1))
		}
		return o
	case k < 4 && depth > 0:
		a := jsondoc.NewArray()
		for range r.IntN(4) {
			a.Items = append(a.Items, value(r, depth-1))
		}
		return a
	case k == 4:
		return jsondoc.NewNumber([]string{"1", "2", "1.0"}[r.IntN(3)])
	case k == 5:
		return jsondoc.NewBool(r.IntN(2) == 0)
	case k == 6:
		return &jsondoc.Node{Kind: jsondoc.Null}
	}
	return jsondoc.NewString([]string{"", "1", "true", "a\nb", "a\nc\n", "x y z"}[r.IntN(6)])
}

// TestValuesOfRandomTrees checks that there are fields if and only if the values
// differ, and that the paths are right.
func TestValuesOfRandomTrees(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(10)
	for range 5000 {
		before, after := value(r, 4), value(r, 4)
		fields := diff.Values(before, after)
		equal := string(jsondoc.Canonical(before)) == string(jsondoc.Canonical(after))
		if equal != (len(fields) == 0) {
			t.Fatalf("%s and %s: %v", jsondoc.Canonical(before), jsondoc.Canonical(after), paths(fields))
		}
		seen := map[string]bool{}
		for _, f := range fields {
			checkField(t, f)
			if f.After != nil && after.Find(f.Path) != f.After {
				t.Fatalf("%s is not at its path in %s", f.Path, jsondoc.Canonical(after))
			}
			if f.After == nil && before.Find(f.Path) != f.Before {
				t.Fatalf("%s is not at its path in %s", f.Path, jsondoc.Canonical(before))
			}
			id := fmt.Sprint(f.Path, f.After == nil)
			if seen[id] {
				t.Fatalf("%s twice", f.Path)
			}
			seen[id] = true
		}
	}
}
