package harness

import (
	"strings"
	"testing"
)

const harbour = "Pace this scene:\nThe harbour lay still. It lay very still.\nMira waited for the ferry."

func TestEvidence(t *testing.T) {
	tests := []struct{ name, input, text string }{
		{"place", "", "The harbour is described twice [Story/Scenes/SCN-harbour.md:52-53]."},
		{"place behind the stop", "", "The harbour is described twice. [Story/Scenes/SCN-harbour.md:52-53] The end is rushed. (a.md:9)"},
		{"place as a link", "", "The loop never ends, see src/main.go#L10-L20."},
		{"place with column", "", "The variable is never read (main.go:7:3)."},
		{"line of a file", "", "The name changes in line 12 of Story/mira.md.\nIn `a.md`, line 3, it changes back."},
		{"windows and other names", "", "Der Hafen ist zweimal beschrieben (Szenen/SCN-Überfahrt.md:3-4)."},
		{"line of the input", harbour, "The scene is slow in lines 2-3."},
		{"quotation of the input", harbour, "“Lay still” comes twice in a row."},
		{"quotation in other form", harbour, "The words `the HARBOUR lay... still` set the pace."},
		{"record", "", "The bug is known already (#214)."},
		{"record elsewhere", "", "The bug is known already (tools/crib#214)."},
		{"call", "", "The file has forty lines (call_8fKq2zPd)."},
		{"call in words", "", "The file has forty lines [receipt: r-17]."},
		{"address", "", "The ferry stopped running in 1911 (https://example.org/ferries)."},
		{"footnote", "", "The ferry stopped running early.[1]\n\n[1]: Story/Canon/ferry.md:8"},

		{"item as a whole", "", "- Two conflicts. The scene says left, the canon right. [a.md:3] [b.md:4] Change one of them.\n- The end is rushed (a.md:70-80)."},
		{"item over lines", "", "1. The harbour is\n   described twice\n   (a.md:3-9)\n2) The end is rushed (a.md:70-80)"},
		{"table", "", "| finding | place |\n|---|---|\n| the harbour is described twice | a.md:3 |\n| the end is rushed | a.md:9 |"},
		{"introduced list", "", "Two passages drag in this scene.\n\n- The harbour is described twice (a.md:3)."},
		{"introduced items", "", "- The opening has two problems\n  - The harbour is described twice (a.md:3)."},
		{"introduced by a colon", "", "These passages drag the most:\n\nThe harbour is described twice (a.md:3)."},
		{"heading", "", "# Findings on pace in the scene\n\nFindings on the first half\n---\nThe harbour is described twice (a.md:3)."},
		{"code", "", "The loop never ends (main.go:7).\n```go\nfor { the loop goes on for ever }\n```"},
		{"quote", "", "The harbour is described twice (a.md:3).\n\n> The harbour lay very still and nothing at all happened."},
		{"introduced quote", "", "The harbour is described twice.\n> The harbour lay still. (a.md:3)"},
		{"introduced quote of the input", harbour, "The harbour is described twice.\n\n> It lay very still."},
		{"question", "", "Which of the scenes do you mean?"},
		{"request", "", "Please give me the path of the scene."},
		{"could not", "", "I cannot pace a scene without its text. Sorry, but I don't have access to it."},
		{"sources", "", "The harbour is described twice (a.md:3).\n\nConsulted: Story/Canon/mira.md, `b.md` and c.md."},
		{"verdict", "", "NOT READY\n\n- The harbour is described twice (a.md:3)."},
		{"abbreviation", "", "The harbour is described twice, e.g. as grey, cf. Ch. 3, on p. 4 (a.md:3)."},

		{"tool call", "", call},
		{"JSON", "", `{"findings":[{"claim":"The harbour is described twice","receipt":"a.md:3-9"}]}`},
		{"JSON place", "", `[{"text":"The harbour is described twice","path":"a.md","line":3}]`},
		{"JSON summary", "", `{"summary":"Two passages drag here","findings":[{"text":"It is slow there","file":"a.md","lines":[3,9]}]}`},
		{"JSON quotation", harbour, `{"claim":"These words come twice","quote":"lay still"}`},
		{"JSON without claims", "", "```json\n{\"status\":\"ok\",\"count\":3}\n```"},
		{"other script", "读取第三行。", "“读取”出现一次。"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if reason := (answer{text: tt.text, input: tt.input}).evidence(); reason != "" {
				t.Errorf("got %s", reason)
			}
		})
	}
}

func TestEvidenceMissing(t *testing.T) {
	tests := []struct{ name, input, text, want string }{
		{"empty", "", " \n", "the answer is empty"},
		{"none", "Pace it.", "Cut the second half.", `a claim cites no receipt: "Cut the second half."`},
		{"short", "", "Too slow.", `the answer cites no receipt: "Too slow."`},
		{"one of two", "", "The harbour is described twice (a.md:3). The end is rushed.", `1 of 2 claims cite no receipt, the first: "The end is rushed."`},
		{"item", "", "- The harbour is described twice (a.md:3)\n- The end is rushed", `1 of 2 claims cite no receipt, the first: "The end is rushed"`},
		{"row", "", "|a|b|\n|-|-|\n| the harbour is described twice | |", "a claim cites no receipt"},
		{"head is no row", "", "| the harbour is described twice |", "a claim cites no receipt"},
		{"bare path", "", "The harbour is described twice in Story/a.md.", "a claim cites no receipt"},
		{"line of nothing", "", "The scene is slow in line 3.", "a claim cites no receipt"},
		{"line beyond the input", harbour, "The scene is slow in line 4.", "a claim cites no receipt"},
		{"line zero", "", "The scene is slow there (a.md:0).", "a claim cites no receipt"},
		{"range backwards", "", "The scene is slow there (a.md:9-3).", "a claim cites no receipt"},
		{"time of day", "", "The scene begins at 12:30 and ends late.", "a claim cites no receipt"},
		{"quotation from elsewhere", harbour, `"The sea was wild" is too slow.`, "a claim cites no receipt"},
		{"quotation in other order", harbour, `"Still lay the harbour" is too slow.`, "a claim cites no receipt"},
		{"one quoted word", harbour, `"Harbour" comes up too often here.`, "a claim cites no receipt"},
		{"footnote to nothing", "", "The ferry stopped running early.[1]\n\n[1]: common knowledge", "claims cite no receipt"},
		{"introduction of several sentences", "", "The scene is slow. The end is rushed.\n- The harbour is described twice (a.md:3).", "2 of 3 claims"},
		{"introduced quote from elsewhere", harbour, "The harbour is described twice.\n> The sea was wild.", "a claim cites no receipt"},
		{"headings alone", "", "# The scene is slow\n## And the end is rushed", "the answer cites no receipt"},
		{"code alone", "", "```\nthe scene is slow\n```", "the answer cites no receipt"},
		{"paragraph after a list", "", "- The harbour is described twice (a.md:3)\n\nIt should all be cut.", "1 of 2 claims"},
		{"JSON", "", `{"findings":[{"claim":"The harbour is described twice","receipt":"a.md:3-9"},{"claim":"The end is rushed"}]}`, "1 of 2 claims"},
		{"JSON list", "", `["The end is rushed"]`, "a claim cites no receipt"},
		{"JSON path alone", "", `{"claim":"The end is rushed","path":"a.md"}`, "a claim cites no receipt"},
		{"broken call", "", `{"tool":"x","args":{"note":"the end is rushed"}}`, "a claim cites no receipt"},
		{"other script", "", "场景太慢了。", "a claim cites no receipt"},
		{"hidden", "", "The \x1b[31mend\u202e is rushed.", `a claim cites no receipt: "The \x1b[31mend\u202e is rushed."`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reason := answer{text: tt.text, input: tt.input}.evidence()
			if !strings.Contains(reason, tt.want) {
				t.Errorf("got %q, want %q", reason, tt.want)
			}
			safe(t, reason)
		})
	}
}
