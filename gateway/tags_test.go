package gateway_test

import (
	"strconv"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/prompt/toolcall"
	"toolcrib/registry"
)

// tagged returns a tool that is called with lines of text.
func tagged(id string, tag registry.Tag) registry.Tool {
	return action(id, func(tool *registry.Tool) { tool.Tag = &tag })
}

// taggedAnswer contains tags that call a tool, tags that do not, and lines that only resemble tags.
var taggedAnswer = strings.Join([]string{
	"I look at the weather.",
	"WEATHER: Kiel for 3 days",
	"  WEATHER :Bonn\t\r",
	"> WEATHER: Berlin",
	"weather: Ulm",
	"The WEATHER: Jena",
	"NOTE: PRIVATE: buy milk: two",
	"NOTE: milk",
	"WEATHER: not a single word",
	"SAME: x",
	"WEATHER: AVeryLongNameOfACityIndeed",
	"UNKNOWN: x",
	"Done: bye",
	"PLACE: Ulm",
	"FREE: as it is",
}, "\n")

func TestParseTags(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(
		t, nil,
		tagged("get_weather", registry.Tag{Prefix: "WEATHER", ArgPattern: `(\w+)(?: for (\d+) days)?`, ArgGroups: []string{"city", "days"}}),
		action("create_notes", func(tool *registry.Tool) {
			tool.Tag = &registry.Tag{Prefix: "NOTE: PRIVATE"}
			tool.InputSchema = []byte(`{"type":"object"}`)
		}),
		action("create_lists", func(tool *registry.Tool) {
			tool.Tag = &registry.Tag{Prefix: "NOTE", ArgPattern: `(?P<text>.*)`}
			tool.InputSchema = []byte(`{"type":"object"}`)
		}),
		action("get_places", func(tool *registry.Tool) { // its only parameter (C45)
			tool.Tag = &registry.Tag{Prefix: "PLACE"}
			tool.InputSchema = []byte(`{"type":"object","properties":{"place":{"type":"string"}},"required":["place"],"additionalProperties":false}`)
		}),
		action("get_free", func(tool *registry.Tool) {
			shown := false
			tool.Tag = &registry.Tag{Prefix: "FREE", StripFromDisplay: &shown}
			tool.InputSchema = []byte(`{"type":"object","properties":{"raw_arg":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`)
		}),
		action("get_one", func(tool *registry.Tool) { tool.Tag = &registry.Tag{Prefix: "SAME"}; tool.InputSchema = []byte(`{}`) }),
		action("get_two", func(tool *registry.Tool) { tool.Tag = &registry.Tag{Prefix: "SAME"}; tool.InputSchema = []byte(`{}`) }),
	)
	parsed, err := w.ParseTags(t.Context(), caller(), taggedAnswer)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range parsed.Calls {
		got = append(got, strings.Join([]string{strconv.Itoa(c.Line), c.Tool.Subject.ID, c.Name, string(c.Args)}, " "))
	}
	want := []string{
		`2 get_weather WEATHER {"city":"Kiel","days":3}`,
		`3 get_weather WEATHER {"city":"Bonn"}`,
		`7 create_notes NOTE: PRIVATE {"argument":"buy milk: two"}`,
		`8 create_lists NOTE {"text":"milk"}`,
		`14 get_places PLACE {"place":"Ulm"}`,
		`15 get_free FREE {"raw_arg":"as it is"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	codes := map[int]gateway.Code{9: gateway.CodeArguments, 10: gateway.CodeAmbiguous, 11: gateway.CodeArguments}
	for _, p := range parsed.Problems {
		if codes[p.Line] != p.Code {
			t.Errorf("line %d: %s %s", p.Line, p.Code, p.Message)
		}
		delete(codes, p.Line)
	}
	if len(codes) > 0 {
		t.Errorf("no problem at %v", codes)
	}
	if strings.Contains(parsed.Display, "Kiel") || strings.Contains(parsed.Display, "Bonn") || !strings.HasPrefix(parsed.Display, "I look at the weather.\n> WEATHER: Berlin\n") ||
		!strings.HasSuffix(parsed.Display, "\nFREE: as it is") || strings.Contains(parsed.Display, "buy milk") {
		t.Errorf("the user sees %q", parsed.Display)
	}
	if w.provider.runs.Load() != 0 {
		t.Error("something ran")
	}
}

// TestParseTagsIsLimited parses hostile patterns and responses.
func TestParseTagsIsLimited(t *testing.T) {
	shortrun.OneGoroutine(t)
	free := func(pattern string) func(*registry.Tool) {
		return func(tool *registry.Tool) {
			tool.Tag = &registry.Tag{Prefix: strings.ToUpper(tool.ID), ArgPattern: pattern}
			tool.InputSchema = []byte(`{}`)
		}
	}
	w := open(t, nil, action("get_slow", free(`(a*)*b`)), action("get_large", free(strings.Repeat(`\w{1000}`, 100))), action("get_line", free("")))
	long := strings.Repeat("a", toolcall.MaxAnswer-100)
	parsed, err := w.ParseTags(t.Context(), caller(), "GET_SLOW: "+long+"\nGET_LARGE: "+long[:10])
	if err != nil || len(parsed.Calls) != 0 || len(parsed.Problems) != 2 {
		t.Errorf("got %d calls, %v, %v", len(parsed.Calls), parsed.Problems, err)
	}
	_, err = w.ParseTags(t.Context(), caller(), long+long)
	refusal(t, err, gateway.CodeFormat)
	_, err = w.ParseTags(t.Context(), caller(), strings.Repeat("GET_LINE: x\n", gateway.MaxTagCalls+1))
	refusal(t, err, gateway.CodeFormat)
	parsed, err = w.ParseTags(t.Context(), caller(), strings.Repeat("GET_LINE:\n", 10_000))
	if err != nil || len(parsed.Problems) != gateway.MaxTagCalls {
		t.Errorf("got %d problems, %v", len(parsed.Problems), err)
	}
}

func TestParseJSON(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", func(tool *registry.Tool) { tool.Aliases = []string{"get_climate"} }))
	call, err := w.ParseJSON(t.Context(), caller(), "```json\n{\"tool\":\"get_climate\",\"args\":{\"city\":\"Kiel\"},\"nonce\":\"n1\"}\n```", "n1")
	if err != nil || call.Tool.Subject.ID != "get_weather" || call.Name != "get_climate" || string(call.Args) != `{"city":"Kiel"}` {
		t.Errorf("got %+v, %v", call, err)
	}
	for answer, want := range map[string]gateway.Code{
		`I call it.`: gateway.CodeFormat,
		`{"tool":"get_weather","args":{},"nonce":"n1"}{"tool":"get_weather","args":{},"nonce":"n1"}`: gateway.CodeMultiple,
		`{"tool":"get_wether","args":{"x":1},"nonce":"n2"}`:                                          gateway.CodeUnknown,
		`{"tool":"line_editor","args":{},"nonce":"n1"}`:                                              gateway.CodeUnknown, // not one of scout's tools
		`{"tool":"get_weather","args":7,"nonce":"n1"}`:                                               gateway.CodeArguments,
		`{"tool":"get_weather","args":{"x":1},"nonce":"n2"}`:                                         gateway.CodeNonce,
		`{"tool":"get_weather","args":{"x":1},"nonce":"n1"}`:                                         gateway.CodeArguments,
	} {
		_, err := w.ParseJSON(t.Context(), caller(), answer, "n1")
		refusal(t, err, want)
	}
}

// FuzzParseTags checks the displayed text and the calls for each response: calls are never invented, and only whole
// lines are removed.
func FuzzParseTags(f *testing.F) {
	shortrun.OneGoroutine(f)
	w := open(f, nil, tagged("get_weather", registry.Tag{Prefix: "WEATHER", ArgPattern: `(\w+)`, ArgGroups: []string{"city"}}))
	f.Add("WEATHER: Kiel\nand more")
	f.Add("WEATHER: Kiel\r\n\x00WEATHER:\t\xff\nWEATHER")
	f.Add(":\n::WEATHER: a\n WEATHER : a ")
	f.Fuzz(func(t *testing.T, answer string) {
		parsed, err := w.ParseTags(t.Context(), caller(), answer)
		if err != nil {
			return
		}
		lines := strings.Count(answer, "\n") + 1
		for _, c := range parsed.Calls {
			if c.Line < 1 || c.Line > lines || !strings.Contains(answer, "WEATHER") {
				t.Fatalf("a call that is not there: %+v", c)
			}
		}
		kept := 0
		for line := range strings.Lines(answer) {
			if rest, ok := strings.CutPrefix(parsed.Display[kept:], line); ok {
				kept = len(parsed.Display) - len(rest)
			}
		}
		if kept != len(parsed.Display) {
			t.Fatalf("the display has something that the answer has not: %q of %q", parsed.Display, answer)
		}
		if len(parsed.Calls) == 0 && parsed.Display != answer {
			t.Fatalf("something vanished without a call: %q of %q", parsed.Display, answer)
		}
	})
}

// FuzzParseJSON checks that every response yields a call or an error code of the protocol.
func FuzzParseJSON(f *testing.F) {
	shortrun.OneGoroutine(f)
	w := open(f, nil, action("get_weather", nil))
	f.Add(`{"tool":"get_weather","args":{"city":"Kiel"},"nonce":"n1"}`)
	f.Add("~~~\n{\"tool\":\"get_weather\",\"args\":{\"days\":1e999},\"nonce\":\"n1\"}\n~~~")
	f.Add(`[{"tool":"get_weather"}]`)
	f.Fuzz(func(t *testing.T, answer string) {
		call, err := w.ParseJSON(t.Context(), caller(), answer, "n1")
		if err == nil {
			if call.Tool.Subject.ID != "get_weather" || len(call.Args) == 0 || call.Args[0] != '{' {
				t.Fatalf("got %+v", call)
			}
			return
		}
		switch e := refusalOf(err); e.Code {
		case gateway.CodeFormat, gateway.CodeMultiple, gateway.CodeUnknown, gateway.CodeArguments, gateway.CodeNonce:
		default:
			t.Fatalf("got %v", err)
		}
	})
}
