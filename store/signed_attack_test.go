package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/checkpoint"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/statement"
	"toolcrib/store/storetest"
)

// signedAttacks contains attacks that make a poisoned tool live with correct hashes, and the damage that verification
// must report.
var signedAttacks = map[string]struct {
	do   func(x target)
	says string
}{
	"approved without a signature": {func(x target) {
		o := x.attempt()
		x.forge(o, x.forged(o, ""))
	}, "signature is missing"},
	"a signature that is not there": {func(x target) {
		o := x.attempt()
		x.forge(o, x.forged(o, strings.Repeat("ab", 32)))
	}, "is missing"},
	"version 1 rewritten by hand": {rewriteByHand, "covers other content"},
	"a rejection as an approval": {func(x target) {
		o := x.attempt()
		decisions := x.Decide(x, x.desk, ada, proposals.VerdictRejected, "No.", review.Choice{ID: o.Proposal.ID})
		again := x.attempt()
		x.forge(again, x.forged(again, decisions[0].Signature))
	}, "covers other content"},
	"the approval of version 1 once more": {func(x target) {
		o := x.attempt()
		x.forge(o, x.forged(o, x.version(1).Signature))
	}, "covers other content"},
	"a signature from another database": {func(x target) {
		st := x.sign(x.Keys[ada], func(st *statement.Statement) { st.Database = strings.Repeat("1", 64) })
		x.forgeSigned(st)
	}, "another database"},
	"a key of nobody": {func(x target) {
		x.forgeSigned(x.sign(signingtest.NewKey(x, "ed25519"), nil))
	}, "unknown key"},
	"the key of somebody else": {func(x target) {
		x.forgeSigned(x.sign(x.Keys[bob], nil))
	}, "not to user:ada"},
	"a key that had expired": {func(x target) {
		x.SetSigners(x, x.Line(bob), `user:ada valid-before="20251231Z" `+signingtest.Line(x.Keys[ada].PublicKey()))
		x.Change(x, x.desk, bob)
		x.forgeSigned(x.sign(x.Keys[ada], nil))
	}, "not valid at that time"},
	"a revoked key": {func(x target) {
		x.SetSigners(x, x.Line(bob))
		x.Change(x, x.desk, bob)
		x.forgeSigned(x.sign(x.Keys[ada], nil))
	}, "revoked key"},
	"a state of the signers that nobody signed": {func(x target) {
		key := signingtest.NewKey(x, "ed25519")
		x.Keys[scout] = key
		x.SetSigners(x, x.Line(ada), x.Line(bob), "user:eve "+signingtest.Line(key.PublicKey()))
		x.forgeSigners(key)
	}, "state 2"},
	"the signers file changed alone": {func(x target) {
		key := signingtest.NewKey(x, "ed25519")
		x.SetSigners(x, x.Line(bob), "user:ada "+signingtest.Line(key.PublicKey()))
		x.forgeSigned(x.sign(key, nil))
	}, "the signers file differs from the recorded state 1"},
	"the start removed": {func(x target) {
		o := x.attempt()
		x.forge(o, x.forged(o, ""))
		x.byHand("UPDATE events SET act = 'comment' WHERE act = 'signers'")
	}, "signing has not started"},
	"an older version live again": {func(x target) {
		d := storetest.Modify(storetest.Action(poisoned.ID), 1, poison)
		x.ApproveSigned(x, x.desk, ada, d)
		x.ApproveSigned(x, x.desk, ada, storetest.Modify(storetest.Action(poisoned.ID), 2, func(t *registry.Tool) { t.Description = "Work with the weather again." }))
		x.byHand(`UPDATE live SET version = 2, content_hash = (SELECT content_hash FROM versions v WHERE v.subject = live.subject AND number = 2) WHERE subject = '` + poisoned.String() + "'")
	}, "live"},
	"a deactivated version live again": {func(x target) {
		x.ApproveSigned(x, x.desk, ada, storetest.Modify(storetest.Action(poisoned.ID), 1, poison))
		x.ApproveSigned(x, x.desk, ada, storetest.StatusChange(proposals.Deactivate, poisoned, 2, 0))
		x.byHand("UPDATE live SET status = 'active' WHERE subject = '" + poisoned.String() + "'")
	}, "live"},
	"a signed deactivation undone": {func(x target) {
		x.undoLast(3)
	}, "exist for only 0 of them"},
	"a signed deactivation undone with its decision": {func(x target) {
		x.undoLast(3)
		x.byHand("DELETE FROM decisions WHERE version = 3; DELETE FROM events WHERE seq >= (SELECT min(seq) FROM events WHERE act = 'sign' AND seq > (SELECT max(seq) FROM events WHERE act = 'assess'))")
	}, "exist for only 0 of them"},
	"one of two versions of one statement undone": {func(x target) {
		x.ApproveSigned(x, x.desk, ada, storetest.Modify(storetest.Action(poisoned.ID), 1, poison))
		x.ApproveSigned(x, x.desk, ada, storetest.StatusChange(proposals.Deactivate, poisoned, 2, 0), storetest.Prompt("scene_pacer"))
		x.undo(3)
	}, "exist for only 1 of them"},
	"a state of the signers undone": {func(x target) {
		x.ApproveSigned(x, x.desk, ada, storetest.Modify(storetest.Action(poisoned.ID), 1, poison)) // with a key that is later retired
		x.SetSigners(x, x.Line(bob))
		x.Change(x, x.desk, bob)
		x.byHand("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events WHERE act = 'signers')")
		x.SetSigners(x, x.Line(ada), x.Line(bob))
	}, "state 1 is the last state in the log, but "},
	"shipped content under another name": {func(x target) {
		v := x.version(1)
		v.Number, v.Proposal, v.DecidedBy, v.Signature = 2, "", "system", ""
		o := x.attempt()
		v.Definition = o.Revision.Draft.Definition.Canonical()
		x.forge(o, v)
	}, "does not ship with toolcrib"},
}

// TestAttacksOnSignedRegistry lets an attacker with write access to the file make a poisoned tool live with correct
// hashes. No function may use the tool, and verification must report it.
func TestAttacksOnSignedRegistry(t *testing.T) {
	shortrun.OneGoroutine(t)
	n := 0
	for name, attack := range signedAttacks {
		if n++; n%shortrun.Every(5) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := openTarget(t)
			attack.do(x)
			x.used(false)
			found, _ := x.damage(x.Path())
			if !slices.ContainsFunc(found, func(d string) bool { return strings.Contains(d, attack.says) }) {
				t.Errorf("verification says %q; expected %q", found, attack.says)
			}
		})
	}
}

// TestForgingWorksWithoutSignatures checks that the forged rows are valid except for the signature: if signatures are
// not required, they are used.
func TestForgingWorksWithoutSignatures(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openTarget(t)
	o := x.attempt()
	v := x.forged(o, "")
	x.forge(o, v)
	if report := verify(t, storetest.Open(t, x.Path())); len(report.Damage) > 0 {
		t.Errorf("the seals give it away: %+v", report.Damage)
	}
	x.Policy.Signatures = proof.Policy{}
	x.used(true)
}

// TestAttackOnOneIsNotOnAll checks that an attack on one tool does not affect other signed content, and that the tool
// can be approved again.
func TestAttackOnOneIsNotOnAll(t *testing.T) {
	shortrun.NeedsLong(t)
	x := openTarget(t)
	x.ApproveSigned(t, x.desk, ada, storetest.Prompt("scene_pacer"))
	o := x.attempt()
	x.forge(o, x.forged(o, ""))
	db := x.Open(t, x.Path())
	check := func(subject registry.Subject, version int, refused bool) {
		t.Helper()
		err := db.View(t.Context(), func(r review.Reader) error {
			l, err := r.Live(t.Context(), subject)
			if l.Version != version || (l.Refused != nil) != refused {
				t.Errorf("%s is at version %d, refused for %v", subject, l.Version, l.Refused)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	check(storetest.Prompt("scene_pacer").Subject, 1, false)
	check(poisoned, 2, true)
	x.ApproveSigned(t, x.desk, ada, storetest.StatusChange(proposals.Restore, poisoned, 2, 1))
	check(poisoned, 3, false)
	x.used(false)
	if _, counts := x.damage(x.Path()); counts.Unsigned != 1 || counts.Signed != 4 {
		t.Errorf("the counts are %+v", counts)
	}
}

// TestPoisonedBaseIsRead lets an agent change one word of a version that an attacker forged. The reviewer has to see the
// whole text: a comparison with the forged version would hide the poisoned text, and the approval would sign it.
func TestPoisonedBaseIsRead(t *testing.T) {
	x := openTarget(t)
	o := x.attempt()
	x.forge(o, x.forged(o, ""))
	draft := storetest.Modify(storetest.Action(poisoned.ID), 2, func(tool *registry.Tool) {
		poison(tool)
		tool.Name = "Get Climate Data"
	})
	made := storetest.ProposeChoices(x, x.desk, scout, draft)
	d, err := x.desk.Reading.Show(x.Context(), ada, made[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	before, after := d.Change()
	if !before.Definition.IsZero() || after.Definition.Tool.Description != evil || d.BaseName() != "version 2 (not trusted)" {
		t.Errorf("%s: the change is shown relative to %s", d.BaseName(), before.Definition.Canonical())
	}
	if len(d.Reach.Added) == 0 || len(d.Reach.Unchanged) > 0 {
		t.Errorf("the reach of the poisoned text is %+v", d.Reach)
	}
	extents, err := x.desk.Reading.Extents(x.Context(), []proposals.ID{made[0].ID})
	if e := extents[made[0].ID]; err != nil || e.Removed > 0 || e.Added < 5 {
		t.Errorf("the size of the change is %+v, %v", e, err)
	}
	for _, s := range d.Standing {
		if s.Carried {
			t.Errorf("%s is carried from %s", s.Rule, s.From)
		}
	}
}

// TestPoisonedTextIsNotDeactivated checks that nobody can propose to deactivate a version that an attacker forged. The page
// of a change set shows no text of a deactivated tool, and a later reactivation would change only the status: both
// approvals together would make the forged text live unseen.
func TestPoisonedTextIsNotDeactivated(t *testing.T) {
	x := openTarget(t)
	o := x.attempt()
	x.forge(o, x.forged(o, ""))
	_, err := x.desk.Drafting.Propose(x.Context(), scout, []proposals.Draft{storetest.StatusChange(proposals.Deactivate, poisoned, 2, 0)}, true)
	if err == nil || !strings.Contains(err.Error(), "version 2 is not trusted, so agents do not get it") {
		t.Errorf("the proposal to deactivate the forged version: %v", err)
	}
}

// rewriteByHand replaces the content of version 1 without triggers, and recomputes its hash and all copies of it.
func rewriteByHand(x target) {
	v := x.version(1)
	o := x.attempt()
	v.Definition = o.Revision.Draft.Definition.Canonical()
	v.ContentHash = registry.HashBytes(v.Definition)
	old := v.Hash
	v.Hash = v.Sum()
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	x.byHand(fmt.Sprintf(`UPDATE versions SET definition = %s, content_hash = %s, hash = %s WHERE subject = %s;
		UPDATE live SET content_hash = %[2]s, approval = 'auto_approve' WHERE subject = %[4]s;
		UPDATE decisions SET version_hash = %[3]s, content_hash = %[2]s WHERE version_hash = %[5]s`,
		quote(string(v.Definition)), quote(v.ContentHash), quote(v.Hash), quote(v.Subject.String()), quote(old)))
}

// byHand runs statements after removing all triggers, and restores the triggers.
func (x target) byHand(statements string) {
	x.Helper()
	openRawDB(x.T, x.Database).unlocked(statements)
}

func (x target) version(number int) history.Version {
	x.Helper()
	var v history.Version
	err := x.View(x.Context(), func(r review.Reader) error {
		var err error
		v, err = r.Version(x.Context(), poisoned, number)
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return v
}

// TestAttacksOnTheEnd removes the end of the log, replaces the file with an older copy, and continues a copy
// separately. The signatures are valid in all cases, and only a checkpoint reveals the attack.
func TestAttacksOnTheEnd(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	x := openTarget(t)
	copyOf := func() string {
		path := filepath.Join(t.TempDir(), "copy.db")
		if err := x.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	older, fork := copyOf(), copyOf()
	x.ApproveSigned(t, x.desk, ada, storetest.Prompt("scene_pacer"))
	kept, err := x.checker(x.Database).Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := x.damage(x.Path(), kept); len(found) > 0 {
		t.Fatalf("before: %q", found)
	}
	if found, _ := x.damage(older, kept); !slices.ContainsFunc(found, containing(checkpoint.ErrShorter.Error())) {
		t.Errorf("of an older copy verification says %q", found)
	}
	other := x
	other.Signing = &storetest.Signing{Database: x.Open(t, fork), Policy: x.Policy, Keys: x.Keys}
	other.Clock.Forward(time.Hour)
	other.desk = other.Desk(t, x.Policy)
	for i := range 3 {
		other.ApproveSigned(t, other.desk, ada, storetest.Prompt(fmt.Sprintf("line_pacer_%c", 'a'+i)))
	}
	if found, _ := x.damage(fork, kept); !slices.ContainsFunc(found, containing(checkpoint.ErrHistory.Error())) {
		t.Errorf("of another history verification says %q", found)
	}
	x.signatureOfAnotherHistory(other)
}

func containing(text string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, text) }
}

// signatureOfAnotherHistory uses the signature of a decision that was prepared in a copy.
func (x target) signatureOfAnotherHistory(other target) {
	x.Helper()
	choices := storetest.ProposeChoices(x, other.desk, scout, storetest.Prompt("mood_pacer"))
	prepared, err := other.desk.Deciding.Prepare(x.Context(), ada, choices, proposals.VerdictApproved, "")
	if err != nil {
		x.Fatal(err)
	}
	here := storetest.ProposeChoices(x, x.desk, scout, storetest.Prompt("mood_pacer"))
	x.Clock.Forward(time.Hour)
	if _, err := x.desk.Signed(x.Sign(x, ada, prepared)).Deciding.Approve(x.Context(), ada, here, ""); !errors.Is(err, proposals.ErrConflict) {
		x.Errorf("a decision of another history: %v", err)
	}
}

// TestSignaturesCannotBeChangedBySQL tries to change or delete stored signatures and states of the signers.
func TestSignaturesCannotBeChangedBySQL(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openTarget(t)
	h := openRawDB(t, x.Database)
	h.changesNothing(h.updates("signatures")...)
	h.changesNothing(h.deletes("signatures")...)
	h.changesNothing(h.replacements("signatures")...)
	h.changesNothing("UPDATE events SET act = 'comment' WHERE act = 'signers'", "DELETE FROM events WHERE act = 'signers'")
	if found, counts := x.damage(x.Path()); len(found) > 0 || counts.Signed != 2 {
		t.Errorf("afterwards verification says %q, %+v", found, counts)
	}
}

// undoLast lets ada poison the tool and deactivate it again, both signed, and deletes the last version.
func (x target) undoLast(number int) {
	x.Helper()
	x.ApproveSigned(x, x.desk, ada, storetest.Modify(storetest.Action(poisoned.ID), 1, poison))
	x.ApproveSigned(x, x.desk, ada, storetest.StatusChange(proposals.Deactivate, poisoned, 2, 0))
	x.undo(number)
}

// undo deletes a version of the tool and makes the previous version live again.
func (x target) undo(number int) {
	x.Helper()
	x.byHand(fmt.Sprintf(`DELETE FROM versions WHERE subject = '%[1]s' AND number = %[2]d;
		UPDATE live SET version = %[2]d - 1, status = 'active', content_hash = (SELECT content_hash FROM versions v WHERE v.subject = live.subject AND number = %[2]d - 1) WHERE subject = '%[1]s'`,
		poisoned, number))
}
