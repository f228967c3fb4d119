// This file finds credentials by their published formats.

package form

import (
	"regexp"
	"strings"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

const privateKey = "PRIVATE KEY"

// credentialForms are the published formats of keys and tokens that other text does not match by
// chance.
var credentialForms = []struct{ kind, marker, form string }{
	{"an AWS access key id", "AKIA", `\bAKIA[0-9A-Z]{16}\b`},
	{"a temporary AWS access key id", "ASIA", `\bASIA[0-9A-Z]{16}\b`},
	{"a GitHub token", "ghp_", `\bghp_[A-Za-z0-9]{36,}\b`},
	{"a GitHub token", "gho_", `\bgho_[A-Za-z0-9]{36,}\b`},
	{"a GitHub token", "ghs_", `\bghs_[A-Za-z0-9]{36,}\b`},
	{"a GitHub token", "github_pat_", `\bgithub_pat_[A-Za-z0-9_]{60,}\b`},
	{"a GitLab token", "glpat-", `\bglpat-[A-Za-z0-9_-]{20,}\b`},
	{"a Slack token", "xox", `\bxox[abprs]-[0-9A-Za-z-]{20,}\b`},
	{"a Google API key", "AIza", `\bAIza[0-9A-Za-z_-]{35}\b`},
	{"an OpenAI or Anthropic key", "sk-", `\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}\b`},
	{"a Stripe key", "_live_", `\b[rs]k_live_[0-9A-Za-z]{20,}\b`},
	{"an npm token", "npm_", `\bnpm_[A-Za-z0-9]{36}\b`},
	{"a private key", privateKey, `-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=]{20,}`},
	{"a signed web token", "eyJ", `\beyJ[A-Za-z0-9_-]{16,}\.eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`},
}

// compiledForms returns the compiled expressions of credentialForms.
var compiledForms = sync.OnceValue(func() []*regexp.Regexp {
	forms := make([]*regexp.Regexp, len(credentialForms))
	for i, f := range credentialForms {
		forms[i] = regexp.MustCompile(f.form)
	}
	return forms
})

// credentials reports credentials in s, in the code in s, and in the texts decoded from s. Every
// credential other than a private key is part of a long run, so credentials searches only the long
// runs of s for such credentials.
func credentials(_ *wording.View, s *wording.Scanned) []rules.Finding {
	if !s.LongRun {
		return nil
	}
	var spans []rules.Passage
	kinds := map[int]string{} // kinds of the spans, by their starts
	for n, r := range s.Readings() {
		whole := [][2]int{{0, len(r.Text)}}
		parts := whole
		if n == 0 {
			r.Text, parts = s.Value, s.LongRuns // code may also contain credentials
		}
		for i, form := range compiledForms() {
			in, left := parts, rules.MaxPerText
			if credentialForms[i].marker == privateKey {
				in = whole
			}
			for _, part := range in {
				text := r.Text[part[0]:part[1]]
				if !strings.Contains(text, credentialForms[i].marker) {
					continue
				}
				for _, at := range form.FindAllStringIndex(text, -1) {
					if left > 0 && looksGenuine(text[at[0]:at[1]]) {
						left--
						spans = append(spans, r.At(part[0]+at[0], part[0]+at[1]))
						kinds[spans[len(spans)-1].Start] = credentialForms[i].kind
					}
				}
			}
		}
	}
	return s.Findings(spans, func(p rules.Passage) string { return "This looks like " + kinds[p.Start] + "." })
}

// looksGenuine reports whether key looks like a real credential. A real credential has many
// different characters and contains no word that marks an example.
func looksGenuine(key string) bool {
	lower := strings.ToLower(key)
	for _, word := range []string{
		"example", "xxxx", "your", "0000", "1234567890", "abcdef", "placeholder", "redacted", "...", "dummy", "test",
		"eyjzdwiioiixmjm0nty3odkw", // the beginning of the payload in the example of jwt.io
	} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	seen := map[rune]bool{}
	for _, r := range key {
		seen[r] = true
	}
	return len(seen) >= 12
}
