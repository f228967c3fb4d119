package jsondoc_test

import (
	"bytes"
	"testing"

	"toolcrib/registry/jsondoc"
)

func TestIndent(t *testing.T) {
	n, err := jsondoc.Parse([]byte(`{"b":[1.50,{"x":"<&>\u2028\n"}],"a":{},"l":[],"t":true,"n":null}`), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"b\": [\n    1.50,\n    {\n      \"x\": \"<&>\u2028\\n\"\n    }\n  ],\n  \"a\": {},\n  \"l\": [],\n  \"t\": true,\n  \"n\": null\n}\n"
	if got := string(jsondoc.Indent(n)); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func FuzzIndent(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err != nil {
			return
		}
		again, err := jsondoc.Parse(jsondoc.Indent(n), jsondoc.Limits{Bytes: 1 << 30, Depth: 128})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(jsondoc.Canonical(n), jsondoc.Canonical(again)) || !bytes.Equal(jsondoc.Indent(n), jsondoc.Indent(again)) {
			t.Fatalf("not the same:\n%s\n%s", jsondoc.Indent(n), jsondoc.Indent(again))
		}
	})
}
