package toolcall_test

import (
	"errors"
	"strings"
	"testing"

	"toolcrib/prompt/toolcall"
	"toolcrib/registry/jsondoc"
)

const good = `{"tool":"file_reader","args":{"file_path":"a.md"},"nonce":"k3j9"}`

func TestParse(t *testing.T) {
	for name, answer := range map[string]string{
		"plain":              good,
		"white space":        "\n\t " + good + " \r\n",
		"invisible edges":    "\ufeff\u200b" + good + "\u2060\u200f\n",
		"spread over lines":  "{\n  \"nonce\": \"k3j9\",\n  \"args\": {\"file_path\": \"a.md\"},\n  \"tool\": \"file_reader\"\n}",
		"fence":              "```\n" + good + "\n```",
		"named fence":        "```json\n" + good + "\n```\n",
		"tildes":             "~~~ json\n" + good + "\n~~~~",
		"long fence":         "````json\r\n" + good + "\r\n````  ",
		"invisible in fence": "\u200b```json\n\ufeff" + good + "\u200b\n```\u2060",
	} {
		t.Run(name, func(t *testing.T) {
			call, err := toolcall.Parse(answer)
			if err != nil {
				t.Fatal(err)
			}
			if args := string(jsondoc.Canonical(call.Args)); call.Tool != "file_reader" || args != `{"file_path":"a.md"}` || call.Nonce != "k3j9" {
				t.Errorf("got %s, %s, %s", call.Tool, args, call.Nonce)
			}
		})
	}
}

// refusedAnswers have answers that are not a single call.
var refusedAnswers = []struct {
	name, answer string
	want         error
}{
	{"empty", "", toolcall.ErrInvalidFormat},
	{"invisible", "\u200b\n", toolcall.ErrInvalidFormat},
	{"prose", "I will read the file.", toolcall.ErrInvalidFormat},
	{"prose before", "Calling: " + good, toolcall.ErrInvalidFormat},
	{"prose after", good + "\nDone.", toolcall.ErrInvalidFormat},
	{"prose around a fence", "Here:\n```json\n" + good + "\n```", toolcall.ErrInvalidFormat},
	{"prose after a fence", "```json\n" + good + "\n```\nDone.", toolcall.ErrInvalidFormat},
	{"prose between two", good + "\nand then\n" + good, toolcall.ErrInvalidFormat},
	{"open fence", "```json\n" + good, toolcall.ErrInvalidFormat},
	{"other end", "```json\n" + good + "\n~~~", toolcall.ErrInvalidFormat},
	{"fence on the line", "```json " + good + "```", toolcall.ErrInvalidFormat},
	{"fence in a fence", "````\n```json\n" + good + "\n```\n````", toolcall.ErrInvalidFormat},
	{"empty fence", "```\n```", toolcall.ErrInvalidFormat},
	{"broken", good[:len(good)-1], toolcall.ErrInvalidFormat},
	{"invisible inside", `{"tool"` + "\u200b" + good[7:], toolcall.ErrInvalidFormat},
	{"no UTF-8", good[:12] + "\xff" + good[12:], toolcall.ErrInvalidFormat},
	{"text", `"file_reader"`, toolcall.ErrInvalidFormat},
	{"null", `null`, toolcall.ErrInvalidFormat},
	{"list of one", `[` + good + `]`, toolcall.ErrInvalidFormat},
	{"empty list", `[]`, toolcall.ErrInvalidFormat},
	{"empty object", `{}`, toolcall.ErrInvalidFormat},
	{"key twice", `{"tool":"a","tool":"b","args":{},"nonce":"n"}`, toolcall.ErrInvalidFormat},
	{"other key", `{"tool":"a","args":{},"nonce":"n","why":"x"}`, toolcall.ErrInvalidFormat},
	{"other case", `{"Tool":"a","args":{},"nonce":"n"}`, toolcall.ErrInvalidFormat},
	{"other form", `{"name":"a","arguments":{}}`, toolcall.ErrInvalidFormat},
	{"tool no text", `{"tool":7,"args":{},"nonce":"n"}`, toolcall.ErrInvalidFormat},
	{"deep", `{"tool":"a","args":{"a":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `},"nonce":"n"}`, toolcall.ErrInvalidFormat},
	{"large", good + strings.Repeat(" ", toolcall.MaxAnswer), toolcall.ErrInvalidFormat},

	{"one after the other", good + "\n" + good, toolcall.ErrMultiple},
	{"run together", good + good + good, toolcall.ErrMultiple},
	{"commas", good + ",\n" + good, toolcall.ErrMultiple},
	{"list", `[` + good + `,` + good + `]`, toolcall.ErrMultiple},
	{"two fences", "```json\n" + good + "\n```\n\n```json\n" + good + "\n```", toolcall.ErrMultiple},
	{"two in a fence", "```\n" + good + "\n" + good + "\n```", toolcall.ErrMultiple},

	{"no name", `{"tool":"","args":{},"nonce":"n"}`, toolcall.ErrUnknownTool},

	{"no args", `{"tool":"a","nonce":"n"}`, toolcall.ErrInvalidArgs},
	{"null args", `{"tool":"a","args":null,"nonce":"n"}`, toolcall.ErrInvalidArgs},
	{"text args", `{"tool":"a","args":"{}","nonce":"n"}`, toolcall.ErrInvalidArgs},
	{"neither args nor nonce", `{"tool":"a"}`, toolcall.ErrInvalidArgs},

	{"no nonce", `{"tool":"a","args":{}}`, toolcall.ErrNonceInvalid},
	{"null nonce", `{"tool":"a","args":{},"nonce":null}`, toolcall.ErrNonceInvalid},
	{"number nonce", `{"tool":"a","args":{},"nonce":7}`, toolcall.ErrNonceInvalid},
	{"empty nonce", `{"tool":"a","args":{},"nonce":""}`, toolcall.ErrNonceInvalid},
	{"long nonce", `{"tool":"a","args":{},"nonce":"` + strings.Repeat("x", 300) + `"}`, toolcall.ErrNonceInvalid},
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range refusedAnswers {
		t.Run(tt.name, func(t *testing.T) {
			call, err := toolcall.Parse(tt.answer)
			if !errors.Is(err, tt.want) || toolcall.Code(err) != tt.want.Error() {
				t.Errorf("got %+v, %v; want %v", call, err, tt.want)
			}
		})
	}
}

func TestVerify(t *testing.T) {
	known := func(tool string) bool { return tool == "file_reader" }
	tests := []struct {
		name string
		call toolcall.Call
		want error
	}{
		{"right", toolcall.Call{Tool: "file_reader", Nonce: "k3j9"}, nil},
		{"unknown tool", toolcall.Call{Tool: "file_writer", Nonce: "k3j9"}, toolcall.ErrUnknownTool},
		{"other nonce", toolcall.Call{Tool: "file_reader", Nonce: "k3j8"}, toolcall.ErrNonceInvalid},
		{"longer nonce", toolcall.Call{Tool: "file_reader", Nonce: "k3j9k3j9"}, toolcall.ErrNonceInvalid},
		{"both", toolcall.Call{Tool: "x", Nonce: "y"}, toolcall.ErrUnknownTool},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.call.Verify(known, "k3j9"); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if code := toolcall.Code(errors.New("x")); code != "" {
		t.Errorf("got the code %q", code)
	}
}

// FuzzParse checks that every answer gives either a complete call or an error that
// has a code and no control characters.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("```json\n" + good + "\n```")
	f.Add(good + ",\n" + good)
	f.Add("~~~\n[{}, {}]\n~~~\u200b")
	f.Add("{\"to\x1bol\u202e\":1}")
	f.Fuzz(func(t *testing.T, answer string) {
		call, err := toolcall.Parse(answer)
		if err == nil {
			if call.Tool == "" || call.Nonce == "" || call.Args == nil || call.Args.Kind != jsondoc.Object {
				t.Fatalf("incomplete call: %+v", call)
			}
			return
		}
		if toolcall.Code(err) == "" {
			t.Fatalf("an error without a code: %v", err)
		}
		for _, r := range err.Error() {
			if r < ' ' || r > '~' {
				t.Fatalf("the error contains %q", r)
			}
		}
	})
}
