package diff_test

import (
	"errors"
	"slices"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

func bind(t *testing.T, kind registry.Kind, n *jsondoc.Node) registry.Definition {
	t.Helper()
	d, ps := registry.BindDefinition(kind, n, jsondoc.Root)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	return d
}

// TestMergeEveryField changes every value of a full definition on one side and
// another value on the other side. The result must have both changes.
func TestMergeEveryField(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, kind := range []registry.Kind{registry.KindTool, registry.KindAgent} {
		base, n := full(t, kind)
		all := leaves(n)
		for i, path := range all {
			far := all[(i+len(all)/2)%len(all)]
			edit := func(ours, theirs bool) registry.Definition {
				_, n := full(t, kind)
				if ours {
					change(n, path, "ours")
				}
				if theirs {
					change(n, far, "theirs")
				}
				return bind(t, kind, n)
			}
			got, conflicts, err := diff.MergeDefinitions(base, edit(true, false), edit(false, true))
			if err != nil || len(conflicts) > 0 {
				t.Errorf("%s and %s: %v, %v", path, far, conflicts, err)
			}
			if want := edit(true, true); string(got.Canonical()) != string(want.Canonical()) {
				t.Errorf("%s and %s: got\n%s\nwant\n%s", path, far, got.Canonical(), want.Canonical())
			}
		}
	}
}

// TestMergeDefinitionLaws checks properties that hold for any changes of a
// definition.
func TestMergeDefinitionLaws(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(11)
	for _, kind := range []registry.Kind{registry.KindTool, registry.KindAgent} {
		base, n := full(t, kind)
		all := leaves(n)
		for range 60 {
			_, x := full(t, kind)
			_, y := full(t, kind)
			for range r.IntN(6) {
				change(x, all[r.IntN(len(all))], words(r, 2))
				change(y, all[r.IntN(len(all))], words(r, 2))
			}
			if r.IntN(3) == 0 {
				keys := base.Keys()
				x.Remove(keys[2+r.IntN(len(keys)-2)])
				y.Remove(keys[2+r.IntN(len(keys)-2)])
			}
			ours, theirs := bind(t, kind, x), bind(t, kind, y)
			for _, law := range []struct {
				name               string
				base, ours, theirs registry.Definition
				want               registry.Definition
			}{
				{"only ours", base, ours, base, ours},
				{"only theirs", base, base, theirs, theirs},
				{"both the same", base, ours, ours, ours},
				{"no base, the same", registry.Definition{}, ours, ours, ours},
			} {
				got, conflicts, err := diff.MergeDefinitions(law.base, law.ours, law.theirs)
				if err != nil || len(conflicts) > 0 || string(got.Canonical()) != string(law.want.Canonical()) {
					t.Fatalf("%s: %v, %v\ngot  %s\nwant %s", law.name, conflicts, err, got.Canonical(), law.want.Canonical())
				}
			}
			_, one, err1 := diff.MergeDefinitions(base, ours, theirs)
			_, two, err2 := diff.MergeDefinitions(base, theirs, ours)
			if err1 != nil || err2 != nil || !slices.Equal(sides(one, false), sides(two, true)) {
				t.Fatalf("conflicts differ: %v, %v; %v, %v", one, two, err1, err2)
			}
		}
	}
}

// sides formats conflicts in a fixed order, with ours and theirs swapped if
// requested.
func sides(conflicts []diff.FieldConflict, swap bool) []string {
	var all []string
	for _, c := range conflicts {
		if swap {
			c.Ours, c.Theirs = c.Theirs, c.Ours
		}
		s := c.Path
		for _, n := range []*jsondoc.Node{c.Base, c.Ours, c.Theirs} {
			s += " "
			if n != nil {
				s += string(jsondoc.Canonical(n))
			}
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// mergeCases have two changes of a tool, the expected result, and the fields in
// conflict.
var mergeCases = []struct {
	name               string
	base, ours, theirs string
	want               string
	conflicts          []string
}{
	{
		"lines of one text",
		`{"prompt":"a\nb\nc"}`, `{"prompt":"A\nb\nc"}`, `{"prompt":"a\nb\nC"}`,
		`{"prompt":"A\nb\nC"}`, nil,
	},
	{
		"a line appended, the line before it changed",
		`{"prompt":"a\nb\nc"}`, `{"prompt":"a\nb\nc\nd"}`, `{"prompt":"a\nB\nc"}`,
		`{"prompt":"a\nB\nc\nd"}`, nil,
	},
	{
		"only the last newline",
		`{"prompt":"a\nb"}`, `{"prompt":"a\nb\n"}`, `{"prompt":"A\nb"}`,
		`{"prompt":"A\nb\n"}`, nil,
	},
	{
		"one line in two ways",
		`{"name":"a","goals":"g"}`, `{"name":"b","goals":"g"}`, `{"name":"c","goals":"h"}`,
		`{"goals":"h","name":"b"}`,
		[]string{"name"},
	},
	{
		"removed here, changed there",
		`{"goals":"g"}`, `{}`, `{"goals":"h"}`,
		`{}`,
		[]string{"goals"},
	},
	{
		"keys of one object",
		`{"limits":{"dailyLimit":1}}`, `{"limits":{"dailyLimit":2}}`, `{"limits":{"dailyLimit":1,"cooldownSeconds":3}}`,
		`{"limits":{"cooldownSeconds":3,"dailyLimit":2}}`, nil,
	},
	{
		"one number in two ways",
		`{"limits":{"dailyLimit":1}}`, `{"limits":{"dailyLimit":2}}`, `{"limits":{"dailyLimit":3}}`,
		`{"limits":{"dailyLimit":2}}`,
		[]string{"limits.dailyLimit"},
	},
	{
		"both add a channel",
		`{}`, `{"guidance":{"web":"w"}}`, `{"guidance":{"telegram":"t"}}`,
		`{"guidance":{"telegram":"t","web":"w"}}`, nil,
	},
	{
		"added and removed elements",
		`{"aliases":["a","b","c"]}`, `{"aliases":["x","a","c","y"]}`, `{"aliases":["a","b","z","c","w"]}`,
		`{"aliases":["x","a","z","c","y","w"]}`, nil,
	},
	{
		"one side reorders, the other adds",
		`{"aliases":["a","b","c"]}`, `{"aliases":["a","b","c","d"]}`, `{"aliases":["c","b","a"]}`,
		`{"aliases":["c","d","b","a"]}`, nil,
	},
	{
		"two orders",
		`{"aliases":["a","b","c"]}`, `{"aliases":["b","a","c"]}`, `{"aliases":["a","c","b"]}`,
		`{"aliases":["b","a","c"]}`,
		[]string{"aliases"},
	},
	{
		"groups are named by their place",
		`{"tag":{"argGroups":["a"]}}`, `{"tag":{"argGroups":["a","b"]}}`, `{"tag":{"argGroups":["c","a"]}}`,
		`{"tag":{"argGroups":["a","b"]}}`,
		[]string{"tag.argGroups"},
	},
	{
		"a schema by key",
		`{"inputSchema":{"properties":{"x":{"type":"string"}},"required":["x"]}}`,
		`{"inputSchema":{"properties":{"x":{"type":"string","description":"d"}},"required":["x"]}}`,
		`{"inputSchema":{"properties":{"x":{"type":"string"},"y":{"type":"number"}},"required":["x","y"]}}`,
		`{"inputSchema":{"properties":{"x":{"description":"d","type":"string"},"y":{"type":"number"}},"required":["x","y"]}}`, nil,
	},
	{
		"lists of objects are not mixed",
		`{"inputSchema":{"anyOf":[{"a":1}]}}`, `{"inputSchema":{"anyOf":[{"a":2}]}}`, `{"inputSchema":{"anyOf":[{"a":1},{"b":1}]}}`,
		`{"inputSchema":{"anyOf":[{"a":2}]}}`,
		[]string{"inputSchema.anyOf"},
	},
}

func TestMergeDefinitions(t *testing.T) {
	for _, tt := range mergeCases {
		t.Run(tt.name, func(t *testing.T) {
			k := registry.KindTool
			got, conflicts, err := diff.MergeDefinitions(decode(t, k, tt.base), decode(t, k, tt.ours), decode(t, k, tt.theirs))
			if err != nil {
				t.Fatal(err)
			}
			var at []string
			for _, c := range conflicts {
				at = append(at, c.Path)
			}
			if string(got.Canonical()) != tt.want || !slices.Equal(at, tt.conflicts) {
				t.Errorf("got  %s %v\nwant %s %v", got.Canonical(), at, tt.want, tt.conflicts)
			}
		})
	}
}

func TestMergeTextConflict(t *testing.T) {
	k := registry.KindTool
	got, conflicts, err := diff.MergeDefinitions(
		decode(t, k, `{"prompt":"one\ntwo\nthree\nfour\nfive"}`),
		decode(t, k, `{"prompt":"one\nTWO\nthree\nfour\nfive"}`),
		decode(t, k, `{"prompt":"one\nzwei\nthree\nfour\nFIVE"}`))
	if err != nil || len(conflicts) != 1 || conflicts[0].Text == nil || len(conflicts[0].Text.Conflicts) != 1 {
		t.Fatalf("%+v, %v", conflicts, err)
	}
	if want := "one\nTWO\nthree\nfour\nFIVE"; got.Tool.Prompt != want {
		t.Errorf("got %q, want %q", got.Tool.Prompt, want)
	}
	marked := conflicts[0].Marked(diff.Labels{Ours: "o", Base: "b", Theirs: "t"})
	if want := "one\n<<<<<<< o\nTWO\n||||||| b\ntwo\n=======\nzwei\n>>>>>>> t\nthree\nfour\nFIVE"; marked != want {
		t.Errorf("got %q, want %q", marked, want)
	}
	if got := (diff.FieldConflict{}).Marked(diff.Labels{}); got != "" {
		t.Errorf("got %q", got)
	}
	if c := conflicts[0].Text.Conflicts[0]; c.Ours.Text != "TWO\n" || c.Theirs.Text != "zwei\n" || c.Base.Lines != (diff.Range{Start: 1, End: 2}) {
		t.Errorf("conflict %+v", c)
	}
}

func TestMergeKinds(t *testing.T) {
	tool, _ := full(t, registry.KindTool)
	agent, _ := full(t, registry.KindAgent)
	if _, _, err := diff.MergeDefinitions(tool, tool, agent); !errors.Is(err, diff.ErrKinds) {
		t.Errorf("err = %v", err)
	}
}
