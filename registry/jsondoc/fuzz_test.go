package jsondoc_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/registry/jsondoc"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		``, ` `, `null`, `[1,-0.0e-2,"\ud83d\ude00",{"a":{}}]`, `{"a":1,"a":2}`, `{"a":[1,{"b.c":"x\u0000"}],"":[]}`, `"\ud800"`, "\ufeff1",
		"\"\xff\"", `[1e99999]`, `{"a":1}{"b":2}`, `[[[]]]]`, `{"a":"é\n"`, "[1,]", `{"\u20ac":1,"\ud83d\ude00":2,"\ufb33":3}`, `123456789012345678901234567890.5`,
	} {
		f.Add([]byte(s))
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	lim := jsondoc.Limits{Bytes: 1 << 16, Depth: 16}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := jsondoc.Parse(data, lim)
		if (n == nil) != (err != nil) {
			t.Fatalf("node %v, error %v", n, err)
		}
		if err != nil {
			checkRefusal(t, data, err)
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("accepted a text that encoding/json refuses: %q", data)
		}
		var want any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := asAny(n); !reflect.DeepEqual(got, want) {
			t.Fatalf("read %#v, encoding/json reads %#v", got, want)
		}
		checkPlaces(t, n, n, jsondoc.Root, data)
	})
}

// checkRefusal checks that error messages are printable, and that texts which
// encoding/json accepts are rejected only for our own reasons.
func checkRefusal(t *testing.T, data []byte, err error) {
	t.Helper()
	for _, r := range err.Error() {
		if r < ' ' || r > '~' {
			t.Fatalf("the message contains %U: %q", r, err)
		}
	}
	if !json.Valid(data) {
		return
	}
	for _, line := range problemsOf(t, err) {
		own := false
		for _, reason := range []string{
			"duplicate key", "NUL", "surrogate", "UTF-8", "levels deep", "out of range", "digits; at most", "characters; at most", "the limit is", "more than",
		} {
			own = own || strings.Contains(line, reason)
		}
		if !own {
			t.Fatalf("refused a text that encoding/json accepts: %s\n%q", line, data)
		}
	}
}

// checkPlaces checks that every node is found by its path and that its position is
// right.
func checkPlaces(t *testing.T, root, n *jsondoc.Node, path string, data []byte) {
	t.Helper()
	if root.Find(path) != n {
		t.Fatalf("%s does not lead to the node", path)
	}
	lines := strings.Split(string(data), "\n")
	rest := string([]rune(lines[n.Pos.Line-1])[n.Pos.Column-1:])
	starts := map[jsondoc.Kind]string{jsondoc.Null: "n", jsondoc.Bool: "tf", jsondoc.Number: "-0123456789", jsondoc.String: `"`, jsondoc.Array: "[", jsondoc.Object: "{"}
	if rest == "" || !strings.Contains(starts[n.Kind], rest[:1]) {
		t.Fatalf("%s, %v, is not at %v: %q", path, n.Kind, n.Pos, rest)
	}
	for i, item := range n.Items {
		checkPlaces(t, root, item, jsondoc.Index(path, i), data)
	}
	for _, m := range n.Members {
		checkPlaces(t, root, m.Value, jsondoc.Join(path, m.Key), data)
	}
}

func asAny(n *jsondoc.Node) any {
	switch n.Kind {
	case jsondoc.Bool:
		return n.Text == "true"
	case jsondoc.Number:
		return json.Number(n.Text)
	case jsondoc.String:
		return n.Text
	case jsondoc.Array:
		items := []any{}
		for _, item := range n.Items {
			items = append(items, asAny(item))
		}
		return items
	case jsondoc.Object:
		members := map[string]any{}
		for _, m := range n.Members {
			members[m.Key] = asAny(m.Value)
		}
		return members
	case jsondoc.Null:
	}
	return nil
}

func FuzzCanonical(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err != nil {
			return
		}
		once := jsondoc.Canonical(n)
		again, err := jsondoc.Parse(once, jsondoc.DefaultLimits)
		if err != nil {
			t.Fatalf("the canonical form is refused: %v\n%s", err, once)
		}
		if twice := jsondoc.Canonical(again); !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
		// If doubles represent all numbers exactly, the result is that of RFC 8785.
		if theirs := jsontext.Value(data); !long(n) && theirs.Canonicalize() == nil && !bytes.Equal(once, theirs) {
			t.Fatalf("got %s, want %s as in RFC 8785", once, theirs)
		}
	})
}

// long reports whether a number in n has so many digits that a double may round it.
func long(n *jsondoc.Node) bool {
	if n.Kind == jsondoc.Number {
		_, exp, _ := strings.Cut(strings.ToLower(n.Text), "e")
		return len(n.Text) > 15 || len(strings.TrimLeft(exp, "+-0")) > 2
	}
	for _, item := range n.Items {
		if long(item) {
			return true
		}
	}
	for _, m := range n.Members {
		if long(m.Value) {
			return true
		}
	}
	return false
}

func FuzzParseStream(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := jsondoc.ParseStream(data, jsondoc.DefaultLimits)
		if err != nil && nodes != nil {
			t.Fatal("nodes came with problems")
		}
		if n, err2 := jsondoc.Parse(data, jsondoc.DefaultLimits); err2 == nil {
			if err != nil {
				t.Fatalf("a document was refused as a stream: %v", err)
			}
			if n.Kind != jsondoc.Array && (len(nodes) != 1 || !bytes.Equal(jsondoc.Canonical(n), jsondoc.Canonical(nodes[0]))) {
				t.Fatal("a document differs from the stream of that document")
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a", "b.c", 3)
	f.Add("$", `"]`, 0)
	f.Add("\xff", "[0]", 1)
	f.Fuzz(func(t *testing.T, outer, inner string, i int) {
		if i < 0 || i > 100 {
			return
		}
		leaf := jsondoc.NewString("leaf")
		items := make([]*jsondoc.Node, i+1)
		items[i] = jsondoc.NewObject(jsondoc.Member{Key: inner, Value: leaf})
		root := jsondoc.NewObject(jsondoc.Member{Key: outer, Value: jsondoc.NewArray(items...)})
		path := jsondoc.Join(jsondoc.Index(jsondoc.Join(jsondoc.Root, outer), i), inner)
		if root.Find(path) != leaf {
			t.Fatalf("%s does not lead to the node", path)
		}
		root.Find(outer) // must not panic
	})
}
