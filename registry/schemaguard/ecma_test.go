package schemaguard

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// ecmaTexts returns texts for which engines differ.
func ecmaTexts() []string {
	texts := []string{"", "a", "b", "ab", "é", "aé", "éa", "a é", " ", "\u00a0", "\ufeff", "\u2028", "\u2029", "\n", "\r", "\v", "\x00", "-", "_", "0", "٤", "😀", "a😀b", "\\", "]", "[", "^", "a\n", "\na", "aa", "aba", "K", "ſ", "\u180e", "\u0085", "A-Z", "/", "#", "&&", "~"}
	return append(texts, "user_1", "2026-11-25", "x@y.z", "αβγ", "Straße", "\u1680x", "foo bar", "foo\u3000bar", "{1}", "a{2}", "(a)", "aaaaaaaaaa")
}

// ecmaPatterns returns expressions of each form, and combinations of them.
func ecmaPatterns(n int) []string {
	atoms := []string{
		"a", "é", "😀", ".", `\s`, `\S`, `\d`, `\D`, `\w`, `\W`, "[]", "[^]", `[\s]`, `[^\s]`, `[\S]`, `[^\S]`, `[\s\S]`, `[\w-]`, `[a-z]`, `[^a-z]`, `[é-ü]`, `[\b]`, `[[]`, `[[:alpha:]]`, `[a&&b]`, `[\]\\]`,
		`\n`, `\t`, `\v`, `\f`, `\0`, `\cJ`, `\x41`, `\u0041`, `\u{1F600}`, `\ud83d\ude00`, `\/`, `\.`, `\p{L}`, `\P{L}`, `\p{Lu}`, `\p{Script=Greek}`, `[\p{L}\d]`, `[^\p{L}]`, "(?:ab)", "(a)", "(?<x>a)", `[-a]`, `[a-]`, `[\-]`, "_", "-", "#", "&", "~", " ",
	}
	looks := []string{"^", "$", `\b`, `\B`, "(?=a)", "(?!a)", "(?<=a)", "(?<!a)"}
	quantifiers := []string{"", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{1,2}?"}
	all := append([]string{}, atoms...)
	for _, atom := range atoms {
		all = append(all, "^"+atom+"$", "^"+atom+"+$", `\b`+atom, atom+`\b`, `^(?!b)`+atom+"$")
	}
	all = append(all, `(a)\1`, `^(.)\1$`, `(?<x>.)\k<x>`, `(.)(?<x>.)\2`, `(?<x>.)(.)\1`, `^(?:a|ab)(?:c|b)?$`, "a||b", "(?:)*", "^$", "", `^[^]*$`, `^\S+@\S+$`, `^(?=.)\s`, `a*?b`)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in each run
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	for len(all) < n {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			switch random.IntN(8) {
			case 0:
				b.WriteString(pick(looks))
			case 1:
				b.WriteString("(?:" + pick(atoms) + "|" + pick(atoms) + ")" + pick(quantifiers))
			default:
				b.WriteString(pick(atoms) + pick(quantifiers))
			}
		}
		all = append(all, b.String())
	}
	return all
}

// matches returns the results for texts, or nil if no engine can run pattern.
func matches(pattern string, texts []string) []bool {
	if _, err := compilePattern(pattern); err != nil {
		return nil
	}
	b := &matchBudget{}
	re, err := b.compile(pattern)
	if err != nil {
		return nil
	}
	found := make([]bool, len(texts))
	for i, text := range texts {
		b.begin()
		found[i] = re.MatchString(text)
		if problem := b.end(); problem != "" {
			return nil
		}
	}
	return found
}

// TestPatternsLikeNode compares matches with V8, in which many clients evaluate
// schemas (C51). It skips expressions that V8 rejects.
func TestPatternsLikeNode(t *testing.T) {
	shortrun.NeedsLong(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	texts, patterns := ecmaTexts(), ecmaPatterns(3000)
	in, err := json.Marshal(map[string]any{"texts": texts, "patterns": patterns})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "-e", `
		const {texts, patterns} = JSON.parse(require("fs").readFileSync(0, "utf8"))
		console.log(JSON.stringify(patterns.map(p => { try { const re = new RegExp(p, "u"); return texts.map(t => re.test(t)) } catch { return null } })))`)
	cmd.Stdin = strings.NewReader(string(in))
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want [][]bool
	if err := json.Unmarshal(said, &want); err != nil {
		t.Fatal(err)
	}
	cases, refused, wrong, unrun := 0, 0, 0, 0
	for i, pattern := range patterns {
		if want[i] == nil {
			refused++
			continue
		}
		got := matches(pattern, texts)
		if got == nil {
			unrun++
			t.Errorf("%s cannot be run", pattern)
			continue
		}
		for j, text := range texts {
			if strings.Contains(pattern, `\B`) && strings.Contains(text, "😀") {
				continue // V8 matches between the halves of a character
			}
			if cases++; got[j] != want[i][j] {
				if wrong++; wrong <= 20 {
					t.Errorf("%s on %q: %v, and %v in node", pattern, text, got[j], want[i][j])
				}
			}
		}
	}
	t.Logf("%d cases, %d wrong; node refuses %d of %d expressions, and %d cannot be run", cases, wrong, refused, len(patterns), unrun)
}

// TestPatternsOfECMA has expressions that other engines interpret differently.
func TestPatternsOfECMA(t *testing.T) {
	for _, tt := range []struct{ pattern, yes, no string }{
		{`^\s$`, "\u00a0\u2028\ufeff\v", "a\u180e\u0085"},
		{`^\S$`, "aé\u0085", "\u00a0\u3000 "},
		{`^[^\S]$`, " \u00a0", "a"},
		{`^.$`, "aé😀\x00", "\n\r\u2028\u2029"},
		{`^[]$`, "", "a]\n"},
		{`^[^]$`, "a\n\u2028😀", ""},
		{`^\u{1F600}$`, "😀", "a"},
		{`^\ud83d\ude00$`, "😀", "a"},
		{`^(?=.)\w\b`, "a", "é"},
		{`^(?!x)\s$`, "\u00a0", "a"},
	} {
		for text, want := range map[string]bool{tt.yes: true, tt.no: false} {
			for _, r := range text {
				if got := matches(tt.pattern, []string{string(r)}); got == nil || got[0] != want {
					t.Errorf("%s on %q: %v", tt.pattern, r, got)
				}
			}
		}
	}
	for pattern, text := range map[string]string{`(?i)abc`: "ABC", `\Aabc\z`: "abc", `a{,2}`: "a{,2}", `[[:alpha:]]+`: "a]"} { // syntax of other languages
		if got := matches(pattern, []string{text}); got == nil || !got[0] {
			t.Errorf("%s on %q: %v", pattern, text, got)
		}
	}
}
