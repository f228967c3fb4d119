package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/signingtest"
)

// signedHome is a toolcrib in which user:mara signs, with one approved tool.
func signedHome(t *testing.T) testHome {
	t.Helper()
	signingtest.NeedsKeygen(t)
	home := newTestHome(t, "")
	key := signingtest.NewKey(t, "ed25519").Write(t, "")
	home.must("signers", "init", "--as", "user:mara", "--sign-key", key)
	home.must("propose", "--as", "agent:drafter", "../../demo.json")
	home.must("show", "#1", "--as", "user:mara")
	home.must("approve", "#1", "--as", "user:mara")
	return home
}

// must runs toolcrib, which has to succeed.
func (c testHome) must(args ...string) string {
	c.Helper()
	if args[len(args)-1] == "../../demo.json" {
		text, err := os.ReadFile("../testdata/demo/word_counts.json")
		if err != nil {
			c.Fatal(err)
		}
		c.write("demo.json", string(text))
		args[len(args)-1] = "demo.json"
	}
	out, errs, code := c.run(args...)
	if code != 0 {
		c.Fatalf("%v: exit status %d: %s", args, code, errs)
	}
	return out
}

// TestForgedBundle changes each value of a signed version, of its statement, and of
// its signature, and takes parts away. The check finds every one.
func TestForgedBundle(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := signedHome(t)
	home.must("export", "--format", "bundle", "--output", "whole.json")
	allowed := filepath.Join(home.dir, "home/.config/toolcrib/allowed_signers")
	home.must("check", "--bundle", "whole.json", "--signers", allowed)
	text, err := os.ReadFile(filepath.Join(home.dir, "whole.json"))
	if err != nil {
		t.Fatal(err)
	}
	type doc = map[string]any
	read := func() (b doc, version, statement doc) {
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		for _, v := range b["versions"].([]any) {
			if v.(doc)["proposal"] != nil {
				version = v.(doc)
			}
		}
		for _, s := range b["statements"].([]any) {
			if strings.Contains(s.(doc)["statement"].(string), "verdict approved") {
				statement = s.(doc)
			}
		}
		return b, version, statement
	}
	forged := map[string]doc{}
	_, version, _ := read()
	for key := range version {
		b, v, _ := read()
		switch value := v[key].(type) {
		case string:
			v[key] = "0" + value[1:]
			if v[key] == value {
				v[key] = "1" + value[1:]
			}
		case float64:
			v[key] = value + 1
		case map[string]any:
			value["name"] = "another"
		default:
			v[key] = nil
		}
		forged["version."+key] = b
	}
	for name, change := range map[string]func(b, v, s doc){
		"statement": func(_, _, s doc) {
			s["statement"] = strings.Replace(s["statement"].(string), "approved", "rejected", 1)
		},
		"statement's end":    func(_, _, s doc) { s["statement"] = s["statement"].(string) + "\n" },
		"signature":          func(_, _, s doc) { s["signature"] = strings.Replace(s["signature"].(string), "A", "B", 20) },
		"no statements":      func(b, _, _ doc) { b["statements"] = []any{} },
		"no signature":       func(_, v, _ doc) { delete(v, "signature") },
		"another database":   func(b, _, _ doc) { b["database"] = strings.Repeat("0", 64) },
		"a shipped one more": func(b, v, _ doc) { delete(v, "proposal"); delete(v, "signature"); v["decided_by"] = "system" },
		"twice":              func(b, v, _ doc) { b["versions"] = append(b["versions"].([]any), v) },
	} {
		b, v, s := read()
		change(b, v, s)
		forged[name] = b
	}
	for name, b := range forged {
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		home.write("forged.json", string(text))
		out, errs, code := home.run("check", "--bundle", "forged.json", "--signers", allowed)
		if code != 6 || !strings.Contains(out, "block B10") {
			t.Errorf("%s: exit status %d: %s%s", name, code, out, errs)
		}
	}
	if len(forged) < 20 {
		t.Errorf("only %d ways to forge it", len(forged))
	}
}

// TestBundleNamesWhomItTrusts checks one bundle by a list of people who did not
// sign it.
func TestBundleNamesWhomItTrusts(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	home := signedHome(t)
	home.must("export", "--format", "bundle", "--output", "b.json")
	allowed, err := os.ReadFile(filepath.Join(home.dir, "home/.config/toolcrib/allowed_signers"))
	if err != nil {
		t.Fatal(err)
	}
	other := signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey())
	for name, c := range map[string]struct {
		file, rule string
	}{
		"another's key": {"user:mara " + other + "\n", "B103"},
		"another user":  {strings.Replace(string(allowed), "user:mara", "user:ada", 1), "B103"},
		"nobody":        {"", "B103"},
		"too late":      {strings.Replace(string(allowed), "user:mara ", `user:mara valid-after="20990101Z",`, 1), "B103"},
		"expired":       {strings.Replace(string(allowed), "user:mara ", `user:mara valid-before="20200101Z",`, 1), "B103"},
		"two":           {string(allowed) + "user:kim " + other + "\n", ""},
	} {
		home.write("signers", c.file)
		out, errs, code := home.run("check", "--bundle", "b.json", "--signers", "signers")
		if c.rule == "" && code != 0 || c.rule != "" && (code != 6 || !strings.Contains(out, fmt.Sprintf("block %s (", c.rule))) {
			t.Errorf("%s: exit status %d: %s%s", name, code, out, errs)
		}
	}
}
