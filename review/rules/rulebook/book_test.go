package rulebook

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pelletier/go-toml/v2"
)

// TestEmbedded reads the files that are embedded.
func TestEmbedded(t *testing.T) {
	rules, err := ReadRules(files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(files, rules); err != nil {
		t.Fatal(err)
	}
	if len(rules) < 40 {
		t.Errorf("only %d rules", len(rules))
	}
	var listed struct{ Lexicon []string }
	grammar, err := fs.ReadFile(files, "grammar.toml")
	if err != nil {
		t.Fatal(err)
	}
	if err := toml.Unmarshal(grammar, &listed); err != nil {
		t.Fatal(err)
	}
	found := 0
	if err := each(files, "lexicon", func(*source) { found++ }); err != nil || found != len(listed.Lexicon) {
		t.Errorf("%v: grammar.toml names %d of %d files", err, len(listed.Lexicon), found)
	}
}

// block is a rule that has everything it needs.
const block = `[S999]
name = "test"
severity = "warn"
message = "Says it"
suggestion = "Do not."
importer = "Leave it out."
doc = "Why."
bad = ["x"]
good = ["y"]
frames = '''
# a comment
alpha|
    beta ..2
    gamma
'''
`

// book is a rulebook of one file.
func book(rules string) fstest.MapFS {
	fsys := fstest.MapFS{"rules/a.toml": {Data: []byte(rules)}}
	for file, text := range map[string]string{"grammar.toml": `lexicon = ["a"]`, "lexicon/a.toml": "alpha = 'one'\nbeta = 'two'\ngamma = 'three'"} {
		fsys[file] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// TestFramesContinue joins the lines of a frame.
func TestFramesContinue(t *testing.T) {
	rules, err := ReadRules(book(block))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rules[0].Frames, "\n"); got != "alpha|beta ..2 gamma" {
		t.Errorf("%q", got)
	}
}

// TestFaultsAreNamed breaks a file in every way and expects the line.
func TestFaultsAreNamed(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"unknown key", "message", "mesage", "rules/a.toml:4: unknown key S999.mesage"},
		{"key missing", "message", "mesage", "rules/a.toml:1: S999: message is missing"},
		{"no TOML", "doc = ", "doc ", "rules/a.toml:7: "},
		{"duplicate id in a file", "[S999]", block + "[S999]", "rules/a.toml:16: "},
		{"bad id", "[S999]", "[S99]", "rules/a.toml:1: S99: an id is S or P and three digits"},
		{"severity", "warn", "loud", `rules/a.toml:1: S999: "loud" is no severity; write info, warn or block`},
		{"no bad example", `["x"]`, "[]", "rules/a.toml:1: S999: a bad example is missing"},
		{"no good example", `good = ["y"]`, "", "rules/a.toml:1: S999: a good example is missing"},
		{"no frames", "frames", "#", "rules/a.toml:"},
		{"unknown concept", "gamma", "delta", `rules/a.toml:12: S999: "delta": no concept "delta"`},
		{"a step too many", "gamma", strings.Repeat("gamma ", 9), "rules/a.toml:12: S999: a frame has 1 to 8 steps"},
		{"unknown concept in an exception", "doc", "except = [\"within delta\"]\ndoc", `rules/a.toml:7: S999: no concept "delta"`},
		{"exception without a name", "doc", "except = [\"a & \"]\ndoc", "rules/a.toml:7: "},
	} {
		fsys := book(strings.Replace(block, test.old, test.new, 1))
		rules, err := ReadRules(fsys)
		if err == nil {
			_, err = compile(fsys, rules)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, not %s", test.name, err, test.want)
		}
	}
	fsys := book(block)
	fsys["rules/b.toml"] = fsys["rules/a.toml"]
	if _, err := ReadRules(fsys); err == nil || !strings.Contains(err.Error(), "rules/b.toml:1: S999: S999 stands in rules/a.toml too") {
		t.Error(err)
	}
	fsys = book(block)
	fsys["lexicon/a.toml"].Data = []byte("alpha = 'one'\nalpha = 'two'")
	if _, err := compile(fsys, nil); err == nil || !strings.Contains(err.Error(), "lexicon/a.toml:2: ") {
		t.Error(err)
	}
}

func BenchmarkReadRules(b *testing.B) {
	for b.Loop() {
		if _, err := ReadRules(files); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := compile(files, Rules()); err != nil {
			b.Fatal(err)
		}
	}
}
