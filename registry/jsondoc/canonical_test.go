package jsondoc_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

func canonical(t *testing.T, text string) string {
	t.Helper()
	n, err := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(jsondoc.Canonical(n))
}

func TestCanonical(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"white space", " { \"a\" : [ 1 , true , null ] }\n", `{"a":[1,true,null]}`},
		{"nothing inside", `[{},[],""]`, `[{},[],""]`},
		// RFC 8785, section 3.2.2. The RFC would round the first number to
		// 333333333.3333333.
		{
			"RFC 8785 sample", `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
			"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		// RFC 8785, section 3.2.3.
		{
			"RFC 8785 order", `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
			"\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\"," +
				"\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
		{"order beyond the basic plane", `{"\ud83d\ude01":1,"\ud83d\ude00":2,"\ud83c\udf00":3,"\uffff":4}`, "{\"🌀\":3,\"😀\":2,\"😁\":1,\"\uffff\":4}"},
		{"order of prefixes", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"escapes", `"\b\f\n\r\t\"\\\/\u0001\u001F\u007f\u2028<>&"`, "\"\\b\\f\\n\\r\\t\\\"\\\\/\\u0001\\u001f\u007f\u2028<>&\""},
		{"text is not normalised", `["e\u0301","é"]`, "[\"e\u0301\",\"é\"]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := canonical(t, tt.text); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCanonicalNumbers(t *testing.T) {
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "-0e9": "0", "1": "1", "-1": "-1", "10": "10", "1.0": "1", "1.50": "1.5", "100e-2": "1",
		"1e0": "1", "1E+2": "100", "12e1": "120", "0.1e1": "1", "0.00120": "0.0012", "120.0e-5": "0.0012",
		"1e20": "100000000000000000000", "1e21": "1e+21", "12e20": "1.2e+21", "123456789012345678901": "123456789012345678901",
		"1234567890123456789012": "1.234567890123456789012e+21", "0.000001": "0.000001", "0.0000001": "1e-7", "0.00000012": "1.2e-7",
		"12.5e-9": "1.25e-8", "1e9999": "1e+9999", "-1e-9999": "-1e-9999",
		// RFC 8785, appendix B.
		"5e-324": "5e-324", "-5e-324": "-5e-324", "1.7976931348623157e+308": "1.7976931348623157e+308", "-1.7976931348623157e308": "-1.7976931348623157e+308",
		"9007199254740992": "9007199254740992", "-9007199254740992": "-9007199254740992", "295147905179352830000": "295147905179352830000",
		"9.999999999999997e22": "9.999999999999997e+22", "1e23": "1e+23", "1.0000000000000001e+23": "1.0000000000000001e+23",
		"999999999999999700000": "999999999999999700000", "999999999999999900000": "999999999999999900000",
		"9.999999999999997e-7": "9.999999999999997e-7", "333333333.3333332": "333333333.3333332", "333333333.33333325": "333333333.33333325",
		"333333333.33333343": "333333333.33333343", "-0.0000033333333333333333": "-0.0000033333333333333333", "1424953923781206.2": "1424953923781206.2",
		// Numbers that a double would round.
		"9007199254740993": "9007199254740993", "0.1000000000000000055511151231257827": "0.1000000000000000055511151231257827",
		"3.14159265358979323846264338327950288": "3.14159265358979323846264338327950288", "1e400": "1e+400",
	} {
		if got := canonical(t, literal); got != want {
			t.Errorf("%s becomes %s, want %s", literal, got, want)
		}
		if again := canonical(t, want); again != want {
			t.Errorf("%s becomes %s when read again", want, again)
		}
	}
}

// TestCanonicalAgreesWithRFC8785 compares the form of numbers that a double
// represents exactly with that of another implementation.
func TestCanonicalAgreesWithRFC8785(t *testing.T) {
	shortrun.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f := math.Float64frombits(rng.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		for _, layout := range []byte("eg") {
			literal := strconv.FormatFloat(f, layout, -1, 64)
			theirs := jsontext.Value(literal)
			if err := theirs.Canonicalize(); err != nil {
				t.Fatal(err)
			}
			if ours := canonical(t, literal); ours != string(theirs) {
				t.Fatalf("%s becomes %s, want %s as in RFC 8785", literal, ours, theirs)
			}
		}
	}
}

func TestMarshal(t *testing.T) {
	got, err := jsondoc.Marshal(map[string]any{"b": "<&>", "a": []int{1}})
	if want := `{"a":[1],"b":"<&>"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	// The limits of Parse do not apply.
	odd := map[string]any{strings.Repeat("k", 2_000): "\x00", "n": json.RawMessage("1e99999")}
	got, err = jsondoc.Marshal(odd)
	if want := `{"` + strings.Repeat("k", 2_000) + `":"\u0000","n":1e+99999}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := jsondoc.Marshal(func() {}); err == nil {
		t.Error("a function was marshalled")
	}
}
