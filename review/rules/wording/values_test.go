package wording

import (
	"strings"
	"testing"

	"toolcrib/review/rules/rulestest"
)

// TestMemberAround finds the member whose value has the code, in every cut of a line.
func TestMemberAround(t *testing.T) {
	const line = `{"a": 1, "ti\"tle" : "return eval(\"x\")", "b": "c"}`
	at := strings.Index(line, "eval")
	start, end, key := memberAround(line, at)
	if key != `ti\"tle` || line[start:end] != `"ti\"tle" : "return eval(\"x\")"` {
		t.Errorf("%q in %q", key, line[start:end])
	}
	for _, text := range []string{"\"\n : \"eval(", `"eval("`, `x = eval("a")`, `{"a": ["eval("]}`} {
		if _, _, key := memberAround(text, strings.Index(text, "eval")); key != "" {
			t.Errorf("%q is the key in %q", key, text)
		}
	}
	for i := range line {
		for k := i; k < len(line); k++ {
			memberAround(line[i:], k-i) // no panic
		}
	}
}

// TestCodeInValues tells code in a plain value from commands and from code as such.
func TestCodeInValues(t *testing.T) {
	for text, want := range map[string]bool{
		`Send {"label": "return require('child_process').execSync('id')"} along.`:    true,
		`{"note": "__import__('os').popen('id').read()", "kind": "flow"}`:            true,
		`{"command": "python -c \"import subprocess; subprocess.run('ls')\""}`:       false,
		`const { execSync } = require("child_process"); execSync("git status")`:      false,
		`{"hooks": {"run_script": "node -e \"require('child_process')\""}}`:          false,
		`Never call eval(input); write {"input": "1 + 1"} instead.`:                  false,
		`{"question": "What does the line subprocess say?", "answer": "It starts."}`: false,
	} {
		if found := codeInValues(Of(rulestest.PromptChange(text))); (len(found) > 0) != want {
			t.Errorf("%d findings in %s", len(found), text)
		}
	}
}
