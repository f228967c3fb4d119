package harness

import "testing"

func TestNoFakeToolUse(t *testing.T) {
	const result = "Tool result: 3 issues found.\nSummarise it."
	tests := []struct{ name, input, text string }{
		{"empty", "", ""},
		{"plain", "", "The scene drags in its second half (a.md:3-9)."},
		{"call", "", call},
		{"fenced call", "", "```json\n" + call + "\n```"},
		{"several calls", "", call + "\n" + call},
		{"malformed call", "", `{"tool":"file_reader","args":{}}`},
		{"other JSON", "", `{"findings":[]}`},
		{"proposal", "", "You could run the search again, or call file_reader with the path."},
		{"plan", "", "I will call file_reader first. Then I would search the database."},
		{"question", "", "Should I run the search?"},
		{"denial", "", "I have not called file_reader. I did not run any tool."},
		{"condition", "", "If I called file_reader now, the nonce would be stale. Once I have run the search, you will see."},
		{"use of words", "", "I used the word search twice. I checked the spelling and read the scene."},
		{"what a tool does", "", "file_reader returns numbered lines. The tool returns an error without a path."},
		{"a result in the input", result, "I ran the search, and the tool returned three issues. I have created the task."},
		{"JSON result in the input", `{"success": true, "items": []}`, "The search returned nothing."},
		{"file in the input", "Story/a.md\nThe harbour lay still.\nIt lay very still.", "I read Story/a.md; it drags."},
		{"advice about tasks", "", "Create the task tomorrow. A task that I would have created is missing."},
		{"fractions and abbreviations", "", "I read 3/4 of the scene, and I checked e.g. the opening."},
		{"core answer", "Check Story/a.md", "Three conflicts, one possible.\n\n1. Eyes: grey [Story/a.md:52-53] against green [Story/Canon/mira.md:8-8]. High."},
		{"brackets", "", "The harbour [reading: still] is described twice (see line 3)."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if reason := (answer{text: tt.text, input: tt.input}).noFakeToolUse(); reason != "" {
				t.Errorf("got %s", reason)
			}
		})
	}
}

func TestFakeToolUse(t *testing.T) {
	const result = "Tool result: 3 issues found.\nSummarise it."
	tests := []struct{ name, input, text string }{
		{"result line", "", "Let me see.\nTool result: 3 issues found."},
		{"result line in bold", "", "**Search results:** 3 issues"},
		{"result line after a result", result, "Tool output: 4 issues found."},
		{"observation", "", "Thought: I need the file.\nAction: file_reader\nObservation: The harbour lay still."},
		{"role", "", "assistant: calling\ntool: {\"lines\": 3}"},
		{"markup", "", "<tool_response>ok</tool_response>"},
		{"token", "", "<|python_tag|>print(1)"},
		{"keys", "", `{"role":"tool","content":"ok"}`},
		{"call in prose", "", "Let me look: " + call + " The file is empty."},
		{"call in a fence", "", "I will read it.\n```json\n" + call + "\n```\nIt is empty."},
		{"other call in prose", "", `Calling {"name": "file_reader", "arguments": {"path": "a.md"}} now.`},
		{"call as markup", "", `<invoke name="file_reader"><parameter name="path">a.md</parameter></invoke>`},
		{"ran", "", "I ran the search and nothing came up."},
		{"have called", "", "I have called file_reader with your path."},
		{"have just used", "", "I've just used the canon tool on it."},
		{"looked", "", "I looked through the whole repository, and there is no such scene."},
		{"searched", "", "We searched the web for you."},
		{"read a file", "Check the pacing of Story/a.md", "I read Story/a.md; it drags."},
		{"using", "", "Using file_locator, I found three scenes."},
		{"stage direction", "", "*opens the file* The harbour is described twice."},
		{"tool returned", "", "The tool returned three issues."},
		{"named tool found", "", "file_locator found three scenes."},
		{"search results", "", "According to it, the search results show three scenes."},
		{"deed", "", "I have created the reminder for nine o'clock."},
		{"deed of several words", "", "Done! I've deleted all three of the overdue tasks."},
		{"sent", "", "I sent the email to Mira."},
		{"in between", "", "The scene drags. I then queried the project database. It is slow."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reason := answer{text: tt.text, input: tt.input}.noFakeToolUse()
			if reason == "" {
				t.Error("nothing was found")
			}
			safe(t, reason)
		})
	}
}
