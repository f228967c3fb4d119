package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review/bundle"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
)

// signedHome returns a home in which user:mara signs, with one approved tool.
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

// must runs toolcrib and checks that it succeeds.
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
		c.Fatalf("%v: exit status %d: %s%s", args, code, out, errs)
	}
	return out
}

type object = map[string]any

// readBundle returns a bundle, its proposed version, and the statement that approved that version.
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

// altered returns a different value of the same type.
func altered(value any) any {
	switch value := value.(type) {
	case string:
		if value == "" {
			return "x"
		}
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

// TestForgedBundle changes each value of a signed version, of its statement, and of its signature, and removes parts.
// The check must report every change.
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
		if code != 6 || !strings.Contains(out, "block B1") {
			t.Errorf("%s: exit status %d: %s%s", name, code, out, errs)
		}
	}
	if len(forged) < 20 {
		t.Errorf("only %d ways to forge it", len(forged))
	}
}

// unbound lists the values of a bundle that are not signed. The check lists them as not proven.
var unbound = []string{"at", "log.hash", "log.seq", "signers.0.event.hash", "signers.0.event.seq"}

// TestEveryChangeOfABundle changes each value of a bundle, removes each member and each element, and duplicates each
// element. The check must report every change except those of values listed as not proven (S22).
func TestEveryChangeOfABundle(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := signedHome(t)
	home.must("export", "--format", "bundle", "--output", "whole.json")
	text, err := os.ReadFile(filepath.Join(home.dir, "whole.json"))
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := os.ReadFile(filepath.Join(home.dir, "home/.config/toolcrib/allowed_signers"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := signers.Parse(allowed)
	if err != nil {
		t.Fatal(err)
	}
	passes := func(changed any) bool {
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bundle.Decode(text)
		if err != nil {
			return false
		}
		r, err := b.Check(t.Context(), bundle.Trust{Signers: file})
		return err == nil && len(r.Faults) == 0
	}
	whole := func() (b object) {
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		// The other shipped versions are similar to the first.
		kept := b["versions"].([]any)[:1]
		for _, v := range b["versions"].([]any) {
			if v.(object)["proposal"] != nil {
				kept = append(kept, v)
			}
		}
		b["versions"] = kept
		return b
	}
	if !passes(whole()) {
		t.Fatalf("the bundle itself does not pass: %s", home.must("check", "--bundle", "whole.json", "--signers", filepath.Join(home.dir, "home/.config/toolcrib/allowed_signers")))
	}
	found := map[string]bool{}
	changes := 0
	walk(whole(), nil, func(path []string) {
		for _, change := range []func(any) any{altered, removed, doubled} {
			b := whole()
			if !changeAt(b, path, change) {
				continue
			}
			if changes++; passes(b) {
				found[strings.Join(path, ".")] = true
			}
		}
	})
	for _, path := range unbound {
		delete(found, path)
	}
	delete(found, "versions.0") // a shipped definition that is missing or duplicated
	delete(found, "view.0")
	if changes < 100 || len(found) > 0 {
		t.Errorf("of %d changes, those of %v pass", changes, slices.Sorted(maps.Keys(found)))
	}
}

// walk calls fn with the path of every value.
func walk(value any, path []string, fn func(path []string)) {
	if len(path) > 0 {
		fn(slices.Clone(path))
	}
	if len(path) > 2 && path[2] == "definition" {
		return
	}
	switch v := value.(type) {
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			walk(v[key], append(path, key), fn)
		}
	case []any:
		for i, item := range v {
			walk(item, append(path, strconv.Itoa(i)), fn)
		}
	}
}

type removedValue struct{}

func removed(any) any { return removedValue{} }

type duplicateKey struct{}

func doubled(any) any { return duplicateKey{} }

// changeAt changes the value at a path. It returns false if the change is not possible.
func changeAt(b object, path []string, change func(any) any) bool {
	var parent any = b
	set := func(any) {}
	for _, step := range path[:len(path)-1] {
		switch p := parent.(type) {
		case object:
			parent, set = p[step], func(v any) { p[step] = v }
		case []any:
			i, _ := strconv.Atoi(step)
			parent, set = p[i], func(v any) { p[i] = v }
		}
	}
	last := path[len(path)-1]
	switch p := parent.(type) {
	case object:
		switch v := change(p[last]).(type) {
		case removedValue:
			delete(p, last)
		case duplicateKey, nil:
			return false
		default:
			p[last] = v
		}
	case []any:
		i, _ := strconv.Atoi(last)
		switch v := change(p[i]).(type) {
		case removedValue:
			set(slices.Delete(slices.Clone(p), i, i+1))
		case duplicateKey:
			set(append(slices.Clone(p), p[i]))
		case nil:
			return false
		default:
			p[i] = v
		}
	}
	return true
}

// TestBundleOfOtherSigners checks a bundle with signers who did not sign it.
func TestBundleOfOtherSigners(t *testing.T) {
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
		"another's key": {"user:mara " + other + "\n", "B104"},
		"another user":  {strings.Replace(string(allowed), "user:mara", "user:ada", 1), "B103"},
		"nobody":        {"", "B104"},
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
