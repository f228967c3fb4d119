package fact

import (
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
)

func read(text string, add func(Doc)) []Fact {
	var l List
	l.Read("a.md", text, 0, add)
	return l.Facts()
}

func TestPositions(t *testing.T) {
	text := "first\nzweité wort\n\tlast"
	facts := read(text, func(d Doc) {
		d.Add(strings.Index(text, "last"), Out, Literal, "last")
		d.Add(strings.Index(text, "wort"), Out, Literal, "wort")
		part := d.Part(6, len(text))
		part.Add(0, Out, Literal, "part")
		inner, _ := part.Within(8, "decoded text")
		inner.Add(5, Out, Literal, "inner") // an offset in the decoded text
		d.Pinned(jsondoc.Pos{Line: 9, Column: 4}, "x").Add(0, Out, Literal, "pinned")
	})
	want := []struct {
		value        string
		line, column int
	}{{"part", 2, 1}, {"wort", 2, 8}, {"inner", 2, 8}, {"last", 3, 2}, {"pinned", 9, 4}}
	if len(facts) != len(want) {
		t.Fatalf("%d facts: %+v", len(facts), facts)
	}
	for i, w := range want {
		if f := facts[i]; f.Value != w.value || f.Line != w.line || f.Column != w.column {
			t.Errorf("fact %d is %q at %d:%d; want %q at %d:%d", i, f.Value, f.Line, f.Column, w.value, w.line, w.column)
		}
	}
}

func TestEachKeyOnce(t *testing.T) {
	facts := read("a a", func(d Doc) {
		d.Add(2, Out, "curl", "Host.example")
		d.Add(0, Out, "curl", "host.example")
		d.Add(1, Out, "wget", "host.example")
		d.Add(1, Out, "wget", "")
	})
	if len(facts) != 2 || facts[0].Column != 1 || facts[1].Use != "wget" {
		t.Errorf("%+v", facts)
	}
}

func TestCredentialsLeaveWithData(t *testing.T) {
	name := func(d Doc) { d.AddKey(0, Secret, Variable, "A_TOKEN", "a") }
	if f := read("x", name)[0]; f.Policy() != Information {
		t.Errorf("alone: %s", f.Policy())
	}
	if f := read("x", func(d Doc) { name(d); d.Sends() })[0]; f.Use != VariableSent || f.Policy() != Warns {
		t.Errorf("sent: %+v, %s", f, f.Policy())
	}
}

func TestPolicy(t *testing.T) {
	for _, tt := range []struct {
		kind Kind
		use  string
		want Policy
	}{
		{Out, "curl", Shown},
		{Out, PlainHTTP, Warns},
		{Link, Literal, Counted},
		{Secret, Store, Warns},
		{Write, "tee", Warns},
		{Rights, Literal, Warns},
		{Run, Command, Counted},
		{Run, Package, Shown},
		{Run, Registry, Warns},
		{Run, FetchedRun, Warns},
		{Run, DecodedRun, Warns},
		{Run, "subprocess.run", Shown},
		{File, Literal, Shown},
		{User, Told, Information},
		{Other, "skill", Information},
		{Text, "", Shown},
	} {
		if got := (Fact{Kind: tt.kind, Use: tt.use}).Policy(); got != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.kind, tt.use, got, tt.want)
		}
	}
}

func TestCompare(t *testing.T) {
	before := read("x\ny", func(d Doc) { d.Add(0, Out, "curl", "a.example"); d.Add(2, File, Literal, "~/x") })
	after := read("new\nx", func(d Doc) { d.Add(4, Out, "curl", "a.example"); d.Add(0, Out, "requests.post", "a.example") })
	d := Compare(before, after)
	if len(d.Added) != 1 || d.Added[0].Use != "requests.post" {
		t.Errorf("added %+v", d.Added)
	}
	if len(d.Removed) != 1 || d.Removed[0].Value != "~/x" {
		t.Errorf("removed %+v", d.Removed)
	}
	if len(d.Unchanged) != 1 || d.Unchanged[0].Line != 2 {
		t.Errorf("unchanged %+v", d.Unchanged)
	}
}

func TestBounds(t *testing.T) {
	facts := read("x", func(d Doc) {
		ok, depth := true, 0
		for ok {
			d, ok = d.Within(0, "deeper")
			depth++
		}
		if depth > maxDepth+1 {
			t.Errorf("%d texts within each other", depth)
		}
		d.Add(0, Run, Decoded, strings.Repeat("é", 400))
		d.Add(0, Run, Decoded, strings.Repeat("\xbe", 400)) // not UTF-8
	})
	if len(facts[0].Value) > maxValue+len("…") {
		t.Errorf("a value of %d bytes", len(facts[0].Value))
	}
}
