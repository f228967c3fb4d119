package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
	"toolcrib/signing/signingtest"
)

// at runs toolcrib at the given time. The command must succeed.
func (c testHome) at(now time.Time, args ...string) {
	c.Helper()
	var out bytes.Buffer
	code := cli.Main(c.Context(), process.Env{
		Args: args, In: strings.NewReader(""), Out: &out, Err: &out, Dir: c.dir, MinWait: longest, NewID: newID, Account: loggedIn(args),
		Now:    func() time.Time { now = now.Add(time.Millisecond); return now },
		Getenv: func(name string) string { return map[string]string{"HOME": filepath.Join(c.dir, "home")}[name] },
	})
	if code != 0 {
		c.Fatalf("%v: exit status %d: %s", args, code, out.String())
	}
}

// bundleHome is a home with a version that two owners approved yesterday, ada before mara, and with its bundle.
type bundleHome struct {
	testHome
	keys      map[string]signingtest.Key
	yesterday time.Time
	config    string
	whole     []byte
}

// under activates policies.
func (h bundleHome) under(policies string) {
	h.Helper()
	h.write("home/.config/toolcrib/toolcrib.toml", h.config+policies)
}

func approvedByTwo(t *testing.T) bundleHome {
	t.Helper()
	home := bundleHome{testHome: newTestHome(t, ""), yesterday: time.Now().UTC().Add(-24 * time.Hour)}
	home.keys = map[string]signingtest.Key{"mara": signingtest.NewKey(t, "ed25519"), "ada": signingtest.NewKey(t, "ecdsa-256")}
	files := map[string]string{"mara": home.keys["mara"].Write(t, ""), "ada": home.keys["ada"].Write(t, "")}
	home.at(home.yesterday, "signers", "init", "--as", "user:mara", "--sign-key", files["mara"])
	home.at(home.yesterday.Add(time.Minute), "signers", "add", "user:ada", files["ada"]+".pub", "--as", "user:mara", "--sign-key", files["mara"])
	config, err := os.ReadFile(filepath.Join(home.dir, "home/.config/toolcrib/toolcrib.toml"))
	if err != nil {
		t.Fatal(err)
	}
	home.config = string(config)
	home.under(twoOwners)
	text, err := os.ReadFile("../testdata/demo/word_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	home.write("demo.json", string(text))
	approved := home.yesterday.Add(time.Hour)
	home.at(approved, "propose", "--as", "agent:drafter", "demo.json")
	for _, user := range []string{"ada", "mara"} {
		home.at(approved.Add(time.Minute), "show", "#1", "--as", "user:"+user)
		home.at(approved.Add(2*time.Minute), "approve", "#1", "--as", "user:"+user, "--sign-key", files[user])
	}
	home.must("export", "--format", "bundle", "--output", "b.json")
	home.whole, err = os.ReadFile(filepath.Join(home.dir, "b.json"))
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// TestBundleUnderPolicy checks a bundle with current signers files and policies. Two owners approved its version
// yesterday, ada before mara.
func TestBundleUnderPolicy(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	signingtest.NeedsKeygen(t)
	home := approvedByTwo(t)
	line := func(user, options string) string {
		return "user:" + user + " " + options + signingtest.Line(home.keys[user].PublicKey()) + "\n"
	}
	both := line("mara", "") + line("ada", "")
	until := func(at time.Time) string { return `valid-before="` + at.Format("20060102150405") + `Z" ` }
	policy := func(approvals int, owners ...string) string {
		return fmt.Sprintf("\n[[policy]]\nsubjects = [\"tool:**\"]\nowners = [\"user:%s\"]\napprovals = %d\n", strings.Join(owners, `", "user:`), approvals)
	}
	missing := "the version has 1 of 2, waits for user:ada; revision 1 of tool:user/get_word_counts, approved by user:ada: signature not accepted: "
	for _, c := range []struct{ name, signers, policy, want string }{
		{"both count", both, twoOwners, ""},
		{"the first key expired since", line("mara", "") + line("ada", until(home.yesterday.Add(12*time.Hour))), twoOwners, ""},
		{"the first key expired before", line("mara", "") + line("ada", until(home.yesterday)), twoOwners, missing + "the key was not valid at that time"},
		{"the last key expired since", line("mara", until(home.yesterday.Add(12*time.Hour))) + line("ada", ""), twoOwners, ""},
		{"the last key expired before", line("mara", until(home.yesterday)) + line("ada", ""), twoOwners, "B103 (unknown-key): revision 1 of tool:user/get_word_counts, approved by user:mara: signature not accepted: the key was not valid"},
		{"the line of the first key is removed", line("mara", ""), twoOwners, missing + "revoked key: "},
		{"the line of the last key is removed", line("ada", ""), twoOwners, "B104 (revoked-key): "},
		{"both keys are of one principal", line("mara", "") + strings.Replace(line("ada", ""), "user:ada", "user:mara", 1), twoOwners, missing + "unknown key: line 2 assigns the key to user:mara, not to user:ada"},
		{"an owner is removed", both, policy(2, "mara", "kim"), "B109 (missing-approvals): version 1 of tool:user/get_word_counts: approvals are missing: the version has 1 of 2, waits for user:kim. "},
		{"an owner is removed who is not needed", both, policy(1, "mara"), ""},
		{"the last approver is removed, the first is enough", both, policy(1, "ada"), ""},
		{"more approvals are needed", both, policy(3, "mara", "ada", "kim"), "the version has 2 of 3, waits for user:kim. "},
		{"since tomorrow", both, policy(3, "mara", "ada", "kim") + "since = \"" + time.Now().UTC().Add(24*time.Hour).Format(time.RFC3339) + "\"\n", ""},
	} {
		home.under(c.policy)
		home.write("signers", c.signers)
		args := []string{"check", "--bundle", "b.json", "--signers", "signers"}
		home.findsInBundle(c.name, c.want, args...)
	}
	home.under(twoOwners)
	home.write("signers", both)
	for name, change := range map[string]struct {
		drop func(statement string) bool
		want string
	}{
		"the endorsement's statement is missing": {func(s string) bool { return strings.Contains(s, "\nby user:ada\n") }, missing + "the statement "},
		"the approval's statement is missing":    {func(s string) bool { return strings.Contains(s, "\nitem ") && strings.Contains(s, "\nby user:mara\n") }, "B102 (bad-signature): "},
	} {
		home.write("less.json", withoutStatements(t, home.whole, change.drop))
		home.findsInBundle(name, change.want, "check", "--bundle", "less.json", "--signers", "signers")
	}
}

// findsInBundle checks a bundle. The output must contain want, or no blocking finding if want is "".
func (c testHome) findsInBundle(name, want string, args ...string) {
	c.Helper()
	out, errs, code := c.run(args...)
	if want == "" && (code != 0 || strings.Contains(out, "block")) || want != "" && (code != 6 || !strings.Contains(out, want)) {
		c.Errorf("%s: exit status %d: %s%s", name, code, out, errs)
	}
}

// withoutStatements returns a copy of a bundle without some statements.
func withoutStatements(t *testing.T, bundle []byte, drop func(statement string) bool) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(bundle, &doc); err != nil {
		t.Fatal(err)
	}
	all := doc["statements"].([]any)
	left := slices.DeleteFunc(slices.Clone(all), func(s any) bool { return drop(s.(map[string]any)["statement"].(string)) })
	if len(left) != len(all)-1 {
		t.Fatalf("%d of %d statements are left", len(left), len(all))
	}
	doc["statements"] = left
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
