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

type object = map[string]any

// readBundle returns a bundle, its version that was proposed, and the statement that
// approved it.
func readBundle(t *testing.T, text []byte) (b, version, statement object) {
	t.Helper()
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	for _, v := range b["versions"].([]any) {
		if v.(object)["proposal"] != nil {
			version = v.(object)
		}
	}
	for _, s := range b["statements"].([]any) {
		if strings.Contains(s.(object)["statement"].(string), "verdict approved") {
			statement = s.(object)
		}
	}
	return b, version, statement
}

// altered returns another value of the same type.
func altered(value any) any {
	switch value := value.(type) {
	case string:
		if value[0] == '0' {
			return "1" + value[1:]
		}
		return "0" + value[1:]
	case float64:
		return value + 1
	case object:
		value["name"] = "another"
		return value
	}
	return nil
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
	forged := map[string]object{}
	_, version, _ := readBundle(t, text)
	for key := range version {
		b, v, _ := readBundle(t, text)
		v[key] = altered(v[key])
		forged["version."+key] = b
	}
	for name, change := range map[string]func(b, v, s object){
		"statement": func(_, _, s object) {
			s["statement"] = strings.Replace(s["statement"].(string), "approved", "rejected", 1)
		},
		"statement's end":    func(_, _, s object) { s["statement"] = s["statement"].(string) + "\n" },
		"signature":          func(_, _, s object) { s["signature"] = strings.Replace(s["signature"].(string), "A", "B", 20) },
		"no statements":      func(b, _, _ object) { b["statements"] = []any{} },
		"no signature":       func(_, v, _ object) { delete(v, "signature") },
		"another database":   func(b, _, _ object) { b["database"] = strings.Repeat("0", 64) },
		"a shipped one more": func(b, v, _ object) { delete(v, "proposal"); delete(v, "signature"); v["decided_by"] = "system" },
		"twice":              func(b, v, _ object) { b["versions"] = append(b["versions"].([]any), v) },
	} {
		b, v, s := readBundle(t, text)
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
