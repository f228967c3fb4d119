package jsondoc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

// problemsOf returns the problems in err, formatted by String.
func problemsOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var ps jsondoc.Problems
	if !errors.As(err, &ps) {
		t.Fatalf("error is a %T: %v", err, err)
	}
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return lines
}

func expectLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// refusedTexts has texts and the expected problems.
var refusedTexts = []struct {
	name string
	text string
	want []string
}{
	{"nothing", "", []string{"$ (line 1, column 1): empty; expected a JSON value"}},
	{"white space", " \n\t", []string{"$ (line 2, column 2): empty; expected a JSON value"}},
	{"key twice", `{"a":1,"b":2,"a":3}`, []string{"a (line 1, column 14): duplicate key; keep one"}},
	{"key twice under another spelling", `{"x":{"a":1,"\u0061":3}}`, []string{"x.a (line 1, column 13): duplicate key; keep one"}},
	{"trailing value", "{}\n{}", []string{"$ (line 2, column 1): unexpected text after the document; expected one value"}},
	{"trailing comma", "{},", []string{"$ (line 1, column 3): unexpected text after the document; expected one value"}},
	{"trailing letters", "1 x", []string{"$ (line 1, column 3): unexpected text after the document; expected one value"}},
	{"comma before the end", `{"a":[1,]}`, []string{"a[1] (line 1, column 8): invalid character ',' at start of value"}},
	{"comma missing", `{"é":1 "b":2}`, []string{"$ (line 1, column 8): invalid character '\"' after object value (expecting ',' or '}')"}},
	{"colon missing", `{"a" 1}`, []string{"a (line 1, column 6): invalid character '1' after object name (expecting ':')"}},
	{"wrong bracket", `{"a":[1}}`, []string{"a[1] (line 1, column 8): invalid character '}' after array element (expecting ',' or ']')"}},
	{"key that is none", `{1:2}`, []string{"$ (line 1, column 2): object member name must be a string"}},
	{"single quotes", `{'a':1}`, []string{`$ (line 1, column 2): invalid character '\'' at start of value`}},
	{"comment", "{} // no", []string{"$ (line 1, column 4): unexpected text after the document; expected one value"}},
	{"not a number", `[NaN]`, []string{"[0] (line 1, column 2): invalid character 'N' at start of value"}},
	{"leading zero", `[01]`, []string{"[1] (line 1, column 3): invalid character '1' after array element (expecting ',' or ']')"}},
	{"literal in capitals", `True`, []string{"$ (line 1, column 1): invalid character 'T' at start of value"}},
	{"cut in an object", `{"a":{"b":1`, []string{"a (line 1, column 12): the document is truncated"}},
	{"cut in a string", "{\n\"a\":\"xé", []string{"a (line 2, column 8): the document is truncated"}},
	{"cut in an escape", `"\u00`, []string{"$ (line 1, column 6): the document is truncated"}},
	{"cut in a literal", `[tru`, []string{"[0] (line 1, column 5): the document is truncated"}},
	{"cut in a character", "\"\xc3", []string{"$ (line 1, column 3): the document is truncated"}},
	{"invalid UTF-8", "{\"a\":\"é\xff\"}", []string{"a (line 1, column 8): is not valid UTF-8"}},
	{"invalid UTF-8 in a key", "{\"a\xc0\xaf\":1}", []string{"$ (line 1, column 4): is not valid UTF-8"}},
	{"invalid UTF-8 between values", "[1,\xff]", []string{"[1] (line 1, column 4): is not valid UTF-8"}},
	{"surrogate as UTF-8", "\"\xed\xa0\x80\"", []string{"$ (line 1, column 2): is not valid UTF-8"}},
	{"lone high surrogate", `["\ud83d"]`, []string{"[0] (line 1, column 3): contains an unpaired surrogate; write the whole character"}},
	{"lone low surrogate", `["\uDE00x"]`, []string{"[0] (line 1, column 3): contains an unpaired surrogate; write the whole character"}},
	{"surrogates swapped", `["\ude00\ud83d"]`, []string{"[0] (line 1, column 3): contains an unpaired surrogate; write the whole character"}},
	{"high surrogate twice", `["\ud83d\ud83d"]`, []string{"[0] (line 1, column 3): contains an unpaired surrogate; write the whole character"}},
	{"unknown escape", `["\x41"]`, []string{"[0] (line 1, column 3): invalid escape sequence `\\x` in string"}},
	{"line break in a string", "[\"a\nb\"]", []string{`[0] (line 1, column 4): invalid character '\n' in string (expecting non-control character)`}},
	{"escape in a string", "[\"\x1b[2J\"]", []string{`[0] (line 1, column 3): invalid character '\x1b' in string (expecting non-control character)`}},
	{"raw NUL", "[\"\x00\"]", []string{`[0] (line 1, column 3): invalid character '\x00' in string (expecting non-control character)`}},
	{"NUL", `{"a":"x\u0000","b\u0000":1}`, []string{
		"a (line 1, column 6): contains a NUL character; remove it",
		`["b\x00"] (line 1, column 16): contains a NUL character; remove it`,
	}},
	{"byte order mark", "\ufeff{}", []string{"$ (line 1, column 1): begins with a byte order mark (BOM); save the file as UTF-8 without BOM"}},
	{"UTF-16", "\xff\xfe{\x00}\x00", []string{"$ (line 1, column 1): is encoded in UTF-16; save the file as UTF-8 without a byte order mark"}},
	{"huge exponent", `{"a":1e10000,"b":-1.5E-99999999999999999999,"c":1e+9999,"d":10e9999,"e":0.1e10000,"f":0e99999}`, []string{
		"a (line 1, column 6): the number is out of range; exponents must be between -9999 and 9999",
		"b (line 1, column 18): the number is out of range; exponents must be between -9999 and 9999",
		"d (line 1, column 61): the number is out of range; exponents must be between -9999 and 9999",
	}},
	{"huge number", "[1" + strings.Repeat("2", 1_000) + ", 1" + strings.Repeat("0", 10_000) + "]", []string{
		"[0] (line 1, column 2): the number has more than 1000 digits (got 1001)",
		"[1] (line 1, column 1005): the number is out of range; exponents must be between -9999 and 9999",
	}},
	{"huge key", `{"` + strings.Repeat("k", 1_025) + `":1}`, []string{
		strings.Repeat("k", 50) + "..." + strings.Repeat("k", 50) + " (line 1, column 2): the key is longer than 1024 characters (got 1025)",
	}},
	{"all at once", "{\n \"a\": 1,\n \"é\": \"\\u0000\", \"a\": [1e99999],\n \"a\": tru", []string{
		`["\u00e9"] (line 3, column 7): contains a NUL character; remove it`,
		"a (line 3, column 17): duplicate key; keep one",
		"a[0] (line 3, column 23): the number is out of range; exponents must be between -9999 and 9999",
		"a (line 4, column 2): duplicate key; keep one",
		"a (line 4, column 10): the document is truncated",
	}},
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range refusedTexts {
		t.Run(tt.name, func(t *testing.T) {
			n, err := jsondoc.Parse([]byte(tt.text), jsondoc.DefaultLimits)
			expectLines(t, problemsOf(t, err), tt.want...)
			if n != nil {
				t.Error("got a node together with problems")
			}
		})
	}
}

func TestParseLimits(t *testing.T) {
	shortrun.OneGoroutine(t)
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	tests := []struct {
		name string
		text string
		lim  jsondoc.Limits
		want []string
	}{
		{"as large as may be", `"abcd"`, jsondoc.Limits{Bytes: 6, Depth: 1}, nil},
		{"too large", `"abcde"`, jsondoc.Limits{Bytes: 6, Depth: 1}, []string{"$: the document is larger than 6 bytes (got 7)"}},
		{"as deep as may be", nested(3), jsondoc.Limits{Bytes: 100, Depth: 3}, nil},
		{"too deep", nested(4), jsondoc.Limits{Bytes: 100, Depth: 3}, []string{"[0][0][0] (line 1, column 4): nested more than 3 levels deep"}},
		{"too deep for any stack", strings.Repeat(`{"a":`, 1_000_000), jsondoc.DefaultLimits, []string{
			strings.Repeat("a.", 25) + "..." + strings.Repeat(".a", 25) + " (line 1, column 641): nested more than 128 levels deep",
		}},
		{"too many values", "[" + strings.Repeat("0,", 1<<20) + "0]", jsondoc.DefaultLimits, []string{
			"[1048575] (line 1, column 2097150): the document has more than 1048576 values",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jsondoc.Parse([]byte(tt.text), tt.lim)
			expectLines(t, problemsOf(t, err), tt.want...)
		})
	}
}

// TestParseBoundsProblems checks that a long key around many problems costs neither
// time nor memory.
func TestParseBoundsProblems(t *testing.T) {
	shortrun.OneGoroutine(t)
	var b strings.Builder
	fmt.Fprintf(&b, `{%q:[`, strings.Repeat("é", 100_000))
	for range 200_000 {
		b.WriteString(`"\u0000",`)
	}
	b.WriteString("0]}")
	_, err := jsondoc.Parse([]byte(b.String()), jsondoc.DefaultLimits)
	lines := problemsOf(t, err)
	if len(lines) != jsondoc.MaxProblems+1 {
		t.Fatalf("%d problems", len(lines))
	}
	if want := "$: more than 100 problems; only the first 100 are listed"; lines[jsondoc.MaxProblems] != want {
		t.Errorf("last: %s", lines[jsondoc.MaxProblems])
	}
	if n := len(err.Error()); n > 200_000 {
		t.Errorf("the error has %d bytes", n)
	}
}

func TestParsePositions(t *testing.T) {
	text := "{\r\n\t\"näme\" : \"x\" ,\n  \"list\":[ 1,\n {\"🙂\":null , \"deep\" : [true] } ] }"
	n, err := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]jsondoc.Pos{
		"$":                       {1, 1},
		jsondoc.Join("$", "näme"): {2, 11},
		"list":                    {3, 10},
		"list[0]":                 {3, 12},
		"list[1]":                 {4, 2},
		`list[1]["\U0001f642"]`:   {4, 7},
		"list[1].deep[0]":         {4, 24},
	} {
		found := n.Find(path)
		if found == nil || found.Pos != want {
			t.Errorf("%s is at %+v, want %+v", path, found, want)
		}
	}
	if got, want := n.Members[1].Pos, (jsondoc.Pos{Line: 3, Column: 3}); got != want {
		t.Errorf("the key list is at %v, want %v", got, want)
	}
}

func TestLocate(t *testing.T) {
	n, err := jsondoc.Parse([]byte("{\n \"a\": {\n  \"b.c\": [1]}}"), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	ps := jsondoc.Problems{
		{Path: "$"},
		{Path: "a.missing", Message: "m"},
		{Path: `a["b.c"][0]`},
		{Path: `a["b.c"][7].x`},
		{Path: "elsewhere"},
		{Path: "a", Pos: jsondoc.Pos{Line: 9, Column: 9}},
	}.Locate(n)
	want := []jsondoc.Pos{{1, 1}, {2, 7}, {3, 11}, {3, 10}, {1, 1}, {9, 9}}
	for i, p := range ps {
		if p.Pos != want[i] {
			t.Errorf("%s: %v, want %v", p.Path, p.Pos, want[i])
		}
	}
	if got := (jsondoc.Problems{{Path: "a"}}).Locate(nil); got[0].Pos != (jsondoc.Pos{}) {
		t.Errorf("located in nothing: %v", got)
	}
}
