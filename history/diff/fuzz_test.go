package diff_test

import (
	"bytes"
	"slices"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// FuzzLines checks the properties of patches and hunks for any two texts.
func FuzzLines(f *testing.F) {
	f.Add("", "")
	f.Add("a\nb\nc\n", "a\nc\n")
	f.Add("one\r\ntwo\r\n", "one\ntwo")
	f.Add("x\n\n\nx\n", "x\n\nx\n\n")
	f.Add("cafe\u0301 🇩🇪🇩🇰 \u200bצ \xff\xfe", "café 🇩🇰🇩🇪 \u202eצ \xfe\n")
	f.Add("Look at each scene\nand say where the\npace drops.\n", "Look at each scene and\nsay where its pace\ndrops.\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		p := valid(t, before, after)
		if (before == after) != p.Empty() {
			t.Fatal("Empty is wrong")
		}
		for _, context := range []int{0, 3, -1} {
			validHunks(t, p, before, after, context)
		}
	})
}

// FuzzMerge3 checks the laws of merging for any three texts.
func FuzzMerge3(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n")
	f.Add("", "x\n", "y")
	f.Add("a\nb\nc\nd\ne\n", "a\nc\nd\ne\nf", "A\nb\nc\nd\ne\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		mergeLaws(t, base, ours, theirs)
	})
}

// FuzzValues checks that two JSON values have fields if and only if they differ.
func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"x\ny"}],"c":null}`), []byte(`{"a":[{"b":"x\nz"},1.0],"d":""}`))
	f.Add([]byte(fullTool), []byte(fullAgent))
	f.Add([]byte(`[[1],[2]]`), []byte(`[[2],[1],"1"]`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		before, err1 := jsondoc.Parse(one, jsondoc.DefaultLimits)
		after, err2 := jsondoc.Parse(two, jsondoc.DefaultLimits)
		if err1 != nil || err2 != nil {
			t.Skip()
		}
		fields := diff.Values(before, after)
		if bytes.Equal(jsondoc.Canonical(before), jsondoc.Canonical(after)) != (len(fields) == 0) {
			t.Fatalf("fields %v", paths(fields))
		}
		for _, f := range fields {
			checkField(t, f)
		}
	})
}

// FuzzMergeDefinitions merges any three tools. In addition to the laws, unchanged
// values must be kept and the result must be a valid definition.
func FuzzMergeDefinitions(f *testing.F) {
	f.Add([]byte(fullTool), []byte(`{"id":"a","aliases":["x","y"]}`), []byte(`{"id":"b","aliases":["y"],"inputSchema":{"type":"object"}}`))
	f.Add([]byte(`{}`), []byte(`{"goals":"a\n"}`), []byte(`{"goals":"a"}`))
	f.Fuzz(func(t *testing.T, x, y, z []byte) {
		var ds []registry.Definition
		for _, data := range [][]byte{x, y, z} {
			d, err := registry.DecodeDefinition(registry.KindTool, data)
			if err != nil {
				t.Skip()
			}
			ds = append(ds, d)
		}
		base, ours, theirs := ds[0], ds[1], ds[2]
		_, one, err := diff.MergeDefinitions(base, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		_, two, err := diff.MergeDefinitions(base, theirs, ours)
		if err != nil || !slices.Equal(sides(one, false), sides(two, true)) {
			t.Fatalf("conflicts differ: %v; %v, %v", sides(one, false), sides(two, true), err)
		}
		for _, law := range [][4]registry.Definition{{base, ours, base, ours}, {base, base, theirs, theirs}, {base, ours, ours, ours}} {
			got, conflicts, err := diff.MergeDefinitions(law[0], law[1], law[2])
			if err != nil || len(conflicts) > 0 || !bytes.Equal(got.Canonical(), law[3].Canonical()) {
				t.Fatalf("got %s, want %s; %v, %v", got.Canonical(), law[3].Canonical(), conflicts, err)
			}
		}
	})
}
