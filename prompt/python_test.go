package prompt

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/generated"
)

// pythonValues are the values for all vectors. Some contain placeholders, which
// must not be replaced.
var pythonValues = map[string]string{
	"a": "V", "A": "upper", "_": "under", "name": "Ada ${a}", "_x1": "$a $$ $", "empty": "", "nl": "\n\n\n\n", "s": "ess", "k": "kay",
}

// A vector is a template and the result of Python.
type vector [2]string

const safeSubstitute = `
import json, string, sys
values = json.loads(sys.argv[1])
for line in sys.stdin:
    t = json.loads(line)
    print(json.dumps([t, string.Template(t).safe_substitute(values)], ensure_ascii=False))
`

// askPython returns vectors for templates.
func askPython(t *testing.T, python string, templates []string) []vector {
	t.Helper()
	values, err := json.Marshal(pythonValues)
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, tmpl := range templates {
		if err := enc.Encode(tmpl); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", safeSubstitute, string(values))
	cmd.Stdin = &in
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	vectors := readVectors(t, out)
	if len(vectors) != len(templates) {
		t.Fatalf("python answered %d of %d templates", len(vectors), len(templates))
	}
	return vectors
}

func readVectors(t *testing.T, data []byte) []vector {
	t.Helper()
	var vectors []vector
	for line := range bytes.Lines(data) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
	return vectors
}

func checkVectors(t *testing.T, vectors []vector) {
	t.Helper()
	for _, v := range vectors {
		if got := substitute(v[0], pythonValues); got != v[1] {
			t.Errorf("%q\n got %q\nwant %q", v[0], got, v[1])
		}
	}
}

func substitute(template string, values map[string]string) string {
	return strings.Join(appendSubstituted(nil, template, values), "")
}

// hostile has edge cases of the syntax.
var hostile = []string{
	"", "$", "$$", "$$$", "$$$$", "$$$$$", "$a", "${a}", "$$a", "$${a}", "$$$a", "$$${a}", "${", "${}", "${a", "${a ", "${a\n}", "${ a}", "${a }", "$ a", "$\na", "$1", "$1a", "${1}", "${1a}",
	"$a1", "$a$a", "$a${a}$a", "${a}{a}", "{${a}}", "${${a}}", "${$a}", "${a${a}}", "$${$a}", "{a}", "{{a}}", "}{", "$}", "$a}", "$a{", "${a}}", "$_", "$__", "${_}", "$_x1", "${_x1}", "$A", "$name.a", "$name-a", "$name_", "$names",
	"ä", "$ä", "${ä}", "$é", "$aé", "${aé}", "${éa}", "$ſ", "$K", "${ſ}", "${K}", "$aſ", "$kK", "$ı", "$İ", "$а", "$ａ", "$\u0301a", "$a\u0301", "$\u200ba", "$\ufeffa", "$\u00a0a", "$😀", "$a😀", "\U0010ffff$a", "$\x00a", "$a\x00", "$a\x7f",
	"$a\r\n$a", "$a\u2028$a", "$\t", "$$\n$a", "# $a\n\n\n\n$empty\n", "$nl$nl", "$unknown", "${unknown}", "$$unknown", "cost: $5 and $a", "$a's", "\\$a", "\\\\${a}", "`$a`", "$(a)", "$[a]", "$<a>", "%(a)s", "$@a", "$-a", "$+", "$a+$a=$$",
}

// fragments are the parts of generated templates.
var fragments = []string{
	"$", "$", "$", "$$", "{", "{", "}", "}", "a", "A", "_", "name", "_x1", "empty", "nl", "unknown", "s", "k", "1", "9", " ", "\n", "\r\n", "\t", "-", ".", "#", "## ", "```",
	"ä", "é", "ſ", "K", "İ", "ı", "а", "日", "😀", "\u200b", "\u0301", "\x00", "\x7f", "\u2028", "$a", "${a}", "${name}", "$empty", "${nl}", "text",
}

// generate returns n templates.
func generate(r *rand.Rand, n int) []string {
	templates := make([]string, n)
	for i := range templates {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		templates[i] = b.String()
	}
	return templates
}

func TestSubstituteLikePython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; another test checks the vectors in testdata/substitute.jsonl")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	checkVectors(t, askPython(t, python, append(generate(rand.New(rand.NewPCG(seed, 0)), 6000), hostile...)))
}

func TestSubstituteVectors(t *testing.T) {
	file := filepath.Join("testdata", "substitute.jsonl")
	if generated.Updating() {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Fatal("install python3 to generate vectors")
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		for _, v := range askPython(t, python, append(generate(rand.New(rand.NewPCG(1, 2)), 3000), hostile...)) {
			if err := enc.Encode(v); err != nil {
				t.Fatal(err)
			}
		}
		generated.Check(t, file, out.Bytes())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	vectors := readVectors(t, data)
	if len(vectors) < 3000 {
		t.Fatalf("only %d vectors in %s", len(vectors), file)
	}
	checkVectors(t, vectors)
}
