package statement_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/generated"
	"toolcrib/signing/statement"
)

const proposal = "01939e2a-7c00-7000-8000-00000000000"

// h returns a recognizable hash for a vector.
func h(s string) string { return statement.Text(s) }

func statementOf(act statement.Act, note string) statement.Statement {
	return statement.Statement{
		Database: h("event 1"), Log: statement.Head{Seq: 42, Hash: h("event 42")}, By: "user:mara",
		At: time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC), Act: act, Note: statement.Text(note),
	}
}

func item(n int) statement.Item {
	i := statement.Item{
		Proposal: fmt.Sprintf("%s%d", proposal, n), Revision: n, Subject: fmt.Sprintf("tool:user/scene_pacer_%d", n),
		ContentHash: h(fmt.Sprintf("content %d", n)), ReviewDigest: h(fmt.Sprintf("digest %d", n)), Version: n, Sum: h(fmt.Sprintf("version %d", n)),
	}
	if n > 1 {
		i.Previous = h(fmt.Sprintf("version %d", n-1))
	}
	return i
}

// undecided is an item without a version.
func undecided(n int) statement.Item {
	i := item(n)
	i.Version, i.Previous, i.Sum = 0, "", ""
	return i
}

// vectors returns a statement of every act by the name of its file in testdata.
func vectors() map[string]statement.Statement {
	return map[string]statement.Statement{
		"approved":         statementOf(&statement.Decision{Verdict: statement.Approved, Items: []statement.Item{item(1)}}, ""),
		"approved_set":     statementOf(&statement.Decision{Verdict: statement.Approved, Set: "rollout of May", Items: []statement.Item{item(1), item(2), item(3)}}, "Reviewed with Ada."),
		"needs_changes":    statementOf(&statement.Decision{Verdict: statement.NeedsChanges, Items: []statement.Item{undecided(2)}}, "Say which file."),
		"rejected":         statementOf(&statement.Decision{Verdict: statement.Rejected, Items: []statement.Item{undecided(1)}}, "It hides a request.\nSee line 4."),
		"waived":           statementOf(waiver(time.Time{}), "The quotation is the example."),
		"waived_for_a_day": statementOf(waiver(time.Date(2026, 12, 2, 10, 0, 0, 123456000, time.UTC)), "Until the next release."),
		"waiver_ended":     statementOf(ended(), "The quotation is gone."),
		"call_approved":    statementOf(answer(true), ""),
		"call_refused":     statementOf(answer(false), "Not on a Friday."),
		"tier_set":         statementOf(&statement.Tier{Tools: []string{"tool:global/delete_tasks", "tool:user/send_note"}, Tier: "auto_approve", User: h("mara")}, ""),
		"tier_taken_back":  statementOf(&statement.Tier{Tools: []string{"tool:global/delete_tasks"}, User: h("mara")}, ""),
		"signers_started":  statementOf(&statement.Signers{Number: 1, State: h("state 1")}, ""),
		"signers_changed":  statementOf(&statement.Signers{Number: 2, Previous: h("state 1"), State: h("state 2")}, "Ada joins."),
	}
}

func waiver(expires time.Time) *statement.Waiver {
	return &statement.Waiver{
		Proposal: proposal + "1", Revision: 3, Subject: "agent:project/novel/assistant", ContentHash: h("content"), Rule: "S104",
		PassageHash: h("passage"), Path: statement.Text("definition.soul"), Field: h("field"), Expires: expires,
	}
}

// ended is the end of a waiver.
func ended() *statement.Waiver {
	w := waiver(time.Time{})
	w.Ended = true
	return w
}

func answer(approved bool) *statement.CallAnswer {
	return &statement.CallAnswer{
		Approved: approved, Pending: proposal + "9", Tool: "tool:global/delete_tasks", Version: 4, ContentHash: h("content"), Digest: h("asked"),
	}
}

// TestVectors compares the encoder and the decoder with the published vectors.
func TestVectors(t *testing.T) {
	for name, s := range vectors() {
		file := filepath.Join("testdata", name+".txt")
		encoded, err := statement.Encode(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		generated.Check(t, file, encoded)
		if got, err := statement.Decode(encoded); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: decoded as %+v, %v", name, got, err)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) != len(vectors()) {
		t.Errorf("%d vectors in testdata for %d statements, %v", len(files), len(vectors()), err)
	}
}

// TestSums compares the hashes of the vectors with testdata/sums, a file in the
// format of sha256sum.
func TestSums(t *testing.T) {
	var sums strings.Builder
	names, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%s  %s\n", statement.Sum(b), filepath.Base(name))
	}
	generated.Check(t, filepath.Join("testdata", "sums"), []byte(sums.String()))
}

// TestDecodeIsStrict changes a vector in one place and expects an error with the
// line and the field.
func TestDecodeIsStrict(t *testing.T) {
	for _, c := range []struct{ vector, old, with, problem string }{
		{"approved", "decision 1\n", "decision 2\n", "line 1"},
		{"approved", "toolcrib", "\ufefftoolcrib", "line 1"},
		{"approved", "decision 1\n", "decision 1 \n", "line 1"},
		{"approved", "\n", "\r\n", "line 1"},
		{"approved", "database ", "database  ", "hash of event 1"},
		{"approved", "database ", "Database ", "line 2"},
		{"approved", "database " + h("event 1"), "database " + strings.ToUpper(h("event 1")), "hash of event 1"},
		{"approved", "log 42", "log 042", "sequence"},
		{"approved", "log 42", "log +42", "sequence"},
		{"approved", "log 42", "log 0", "sequence"},
		{"approved", "log 42", "log 99999999999999999999", "sequence"},
		{"approved", "user:mara", "agent:mara", "principal"},
		{"approved", "user:mara", "user:*", "principal"},
		{"approved", "user:mara", "user:", "principal"},
		{"approved", "user:mara", "user:mára", "principal"},
		{"approved", "verdict approved", "verdict rejected", "version"},
		{"approved", "verdict approved", "verdict allowed", "verdict"},
		{"approved", "10:00:00.000000Z", "10:00:00Z", "time"},
		{"approved", "10:00:00.000000Z", "10:00:00.000000+00:00", "time"},
		{"approved", "2026-12-01", "2026-13-01", "time"},
		{"approved", "set - 1", "set - 2", "keyword"},
		{"approved", "set - 1", "set - 0", "number of items"},
		{"approved", "set - 1", "set 1", "2 fields"},
		{"approved", "set - 1", "set a\tb 1", "name"},
		{"approved", "item " + proposal + "1 1", "item " + proposal + "1", "revision"},
		{"approved", "item " + proposal + "1 1", "item " + proposal + "1 1 1", "proposal"},
		{"approved", proposal + "1", strings.ToUpper(proposal) + "1", "proposal"},
		{"approved", h("digest 1") + " 1 - ", h("digest 1") + " 2 - ", "previous hash"},
		{"approved", h("digest 1") + " 1 - " + h("version 1"), h("digest 1") + " 1 - -", "version sum"},
		{"approved", "note ", "\nnote ", "note"},
		{"approved", "note ", "remark ", "note"},
		{"approved_set", "set rollout of May 3", "set rollout of May 2", "note"},
		{"approved_set", "set rollout of May 3", "set rollout of May 4", "item"},
		{"approved_set", "set rollout of May 3", "set rollout of May 10001", "number of items"},
		{"approved_set", proposal + "2", proposal + "1", "duplicate"},
		{"needs_changes", " 0 - -\n", " 1 - -\n", "version"},
		{"waived", " -\n", "\n", "expiry"},
		{"waived", " -\n", " never\n", "expiry"},
		{"call_approved", "verdict call_approved", "verdict call_allowed", "verdict"},
		{"tier_set", " auto_approve ", " user_configurable ", "tier"},
		{"signers_started", "signers 1", "signers 2", "previous state"},
		{"signers_changed", h("state 2"), h("state 1"), "must differ"},
	} {
		b, err := os.ReadFile(filepath.Join("testdata", c.vector+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(b), c.old, c.with, 1)
		if changed == string(b) {
			t.Fatalf("%s has no %q", c.vector, c.old)
		}
		_, err = statement.Decode([]byte(changed))
		if !errors.Is(err, statement.ErrMalformed) || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s with %q for %q: %v; expected an error about %s", c.vector, c.with, c.old, err, c.problem)
		}
	}
}

// TestEveryChangedByteIsAnotherStatement changes, removes and doubles every byte of
// every vector. The result must be invalid or another statement.
func TestEveryChangedByteIsAnotherStatement(t *testing.T) {
	for name, s := range vectors() {
		b, err := statement.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			flipped := bytes.Clone(b)
			flipped[i] ^= 1
			for _, changed := range [][]byte{flipped, append(bytes.Clone(b[:i]), b[i+1:]...), append(bytes.Clone(b[:i+1]), b[i:]...), b[:i]} {
				if got, err := statement.Decode(changed); err == nil && reflect.DeepEqual(got, s) {
					t.Fatalf("%s: byte %d can be changed to %q without changing the statement", name, i, changed)
				}
			}
		}
	}
}

// TestEncodeRefuses encodes statements that could not be decoded, or would decode
// differently.
func TestEncodeRefuses(t *testing.T) {
	decision := func(change func(*statement.Decision)) statement.Statement {
		d := &statement.Decision{Verdict: statement.Approved, Items: []statement.Item{item(1)}}
		change(d)
		return statementOf(d, "")
	}
	finer := statementOf(answer(true), "")
	finer.At = finer.At.Add(time.Nanosecond)
	long := statementOf(answer(true), "")
	long.By = "user:" + strings.Repeat("a", 65)
	for name, s := range map[string]statement.Statement{
		"no act":                       {},
		"a time finer than it keeps":   finer,
		"a long name":                  long,
		"a verdict of another act":     decision(func(d *statement.Decision) { d.Verdict = statement.CallApproved }),
		"an unknown verdict":           decision(func(d *statement.Decision) { d.Verdict = "allowed" }),
		"no items":                     decision(func(d *statement.Decision) { d.Items = nil }),
		"a set of that name":           decision(func(d *statement.Decision) { d.Set = "-" }),
		"a line end in the set's name": decision(func(d *statement.Decision) { d.Set = "rollout\nset x" }),
		"a space in a subject":         decision(func(d *statement.Decision) { d.Items[0].Subject = "tool:user/a b" }),
		"no version sum":               decision(func(d *statement.Decision) { d.Items[0].Sum = "" }),
		"another hash":                 decision(func(d *statement.Decision) { d.Items[0].ContentHash = "sha256:" + h("content") }),
		"the same proposal twice":      decision(func(d *statement.Decision) { d.Set = "s"; d.Items = append(d.Items, item(1)) }),
		"a tier that nobody chooses":   statementOf(&statement.Tier{Tools: []string{"tool:global/a"}, Tier: "user_configurable", User: h("mara")}, ""),
		"a tier of no tool":            statementOf(&statement.Tier{Tier: "auto_approve", User: h("mara")}, ""),
		"a tier of one tool twice":     statementOf(&statement.Tier{Tools: []string{"tool:global/a", "tool:global/a"}, User: h("mara")}, ""),
	} {
		if b, err := statement.Encode(s); !errors.Is(err, statement.ErrMalformed) || b != nil {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}
