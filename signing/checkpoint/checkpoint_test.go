package checkpoint_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/internal/generated"
	"toolcrib/signing/checkpoint"
)

// event returns the hash of event n in these tests: the SHA-256 of "event N".
func event(n int64) string { return hashOf(fmt.Sprintf("event %d", n)) }

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// head returns the Merkle tree head as RFC 6962, section 2.1, defines it.
func head(events []string) tlog.Hash {
	switch n := len(events); n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		b, err := hex.DecodeString(events[0])
		if err != nil {
			panic(err)
		}
		return sha256.Sum256(append([]byte{0}, b...))
	default:
		k := 1
		for 2*k < n {
			k *= 2
		}
		left, right := head(events[:k]), head(events[k:])
		return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
	}
}

func events(n int64) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = event(int64(i) + 1)
	}
	return list
}

// at returns the checkpoint of a log with size events.
func at(size int64) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{Genesis: event(1), Size: size, Root: head(events(size)), Calls: checkpoint.Head{Seq: 7, Hash: hashOf("call 7")}}
}

// keyPair returns a new note key.
func keyPair(t testing.TB) (note.Signer, note.Verifiers) {
	t.Helper()
	signer, public := newKey(t)
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, note.VerifierList(verifier)
}

func newKey(t testing.TB) (note.Signer, string) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "toolcrib/test")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer, public
}

// TestPublished checks the test vectors in testdata: the roots of logs, and a
// signed checkpoint with its key.
func TestPublished(t *testing.T) {
	const most = 20
	var roots strings.Builder
	for n := int64(1); n <= most; n++ {
		fmt.Fprintf(&roots, "%d %s %s\n", n, event(n), at(n).Root)
	}
	generated.Check(t, filepath.Join("testdata", "roots"), []byte(roots.String()))
	signed, err := os.ReadFile(filepath.Join("testdata", "checkpoint")) // the private key no longer exists
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join("testdata", "key"))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := checkpoint.Open(signed, note.VerifierList(verifier)); err != nil || c != at(most) {
		t.Errorf("the checkpoint is %+v, %v", c, err)
	}
}

// TestChecker compares checkpoints with their log, a truncated log, an older copy,
// a log with another history, and the log of another database.
func TestChecker(t *testing.T) {
	noCalls := at(2)
	noCalls.Calls = checkpoint.Head{}
	kept := []checkpoint.Checkpoint{at(9), at(1), noCalls, at(16)}
	for _, c := range []struct {
		name  string
		log   []string
		calls []string // from call 1 on
		want  []error
	}{
		{"the log itself", events(16), calls(7), []error{nil, nil, nil, nil}},
		{"the log later", events(40), calls(9), []error{nil, nil, nil, nil}},
		{"without its last event", events(15), calls(7), []error{nil, nil, nil, checkpoint.ErrShorter}},
		{"an older copy", events(2), calls(3), []error{checkpoint.ErrShorter, checkpoint.ErrShorter, nil, checkpoint.ErrShorter}},
		{"an empty one", nil, nil, []error{checkpoint.ErrOtherLog, checkpoint.ErrOtherLog, checkpoint.ErrOtherLog, checkpoint.ErrOtherLog}},
		{"event 5 changed", append(append(events(4), event(99)), events(16)[5:]...), calls(7), []error{checkpoint.ErrHistory, nil, nil, checkpoint.ErrHistory}},
		{"event 1 changed", append([]string{event(99)}, events(16)[1:]...), calls(7), []error{checkpoint.ErrOtherLog, checkpoint.ErrOtherLog, checkpoint.ErrOtherLog, checkpoint.ErrOtherLog}},
		{"without its last call", events(16), calls(6), []error{checkpoint.ErrShorter, checkpoint.ErrShorter, nil, checkpoint.ErrShorter}},
		{"call 7 changed", events(16), append(calls(6), hashOf("another call")), []error{checkpoint.ErrHistory, checkpoint.ErrHistory, nil, checkpoint.ErrHistory}},
	} {
		checker := checkpoint.NewChecker(kept...)
		for _, e := range c.log {
			checker.Event(e)
		}
		for i, call := range c.calls {
			checker.Call(int64(i)+1, call)
		}
		for i, err := range checker.Result() {
			if !errors.Is(err, c.want[i]) {
				t.Errorf("%s, checkpoint of %d: %v; expected %v", c.name, kept[i].Size, err, c.want[i])
			}
		}
		now, err := checker.Checkpoint()
		if len(c.log) == 0 {
			if !errors.Is(err, checkpoint.ErrMalformed) {
				t.Errorf("%s has a checkpoint: %+v, %v", c.name, now, err)
			}
			continue
		}
		want := checkpoint.Checkpoint{
			Genesis: c.log[0], Size: int64(len(c.log)), Root: head(c.log), Calls: checkpoint.Head{Seq: int64(len(c.calls)), Hash: c.calls[len(c.calls)-1]},
		}
		if err != nil || now != want {
			t.Errorf("%s: its checkpoint is %+v, %v", c.name, now, err)
		}
	}
	broken := checkpoint.NewChecker(at(1))
	broken.Event(event(1))
	broken.Event("x")
	if err := broken.Result()[0]; !errors.Is(err, checkpoint.ErrHistory) {
		t.Errorf("an event without a hash: %v", err)
	}
	if _, err := broken.Checkpoint(); !errors.Is(err, checkpoint.ErrMalformed) {
		t.Errorf("a checkpoint of an event without a hash: %v", err)
	}
}

func calls(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = hashOf(fmt.Sprintf("call %d", i+1))
	}
	return list
}

// TestSigned signs a checkpoint and opens it with the key, with another key, and
// after a change.
func TestSigned(t *testing.T) {
	signer, known := keyPair(t)
	witness, unrelated := keyPair(t)
	c := at(12)
	signed, err := checkpoint.Sign(c, signer, witness)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := checkpoint.Open(signed, known); err != nil || got != c {
		t.Errorf("opened as %+v, %v", got, err)
	}
	if got, err := checkpoint.Read(signed); err != nil || got != c {
		t.Errorf("read as %+v, %v", got, err)
	}
	alone, err := checkpoint.Sign(c, signer)
	if err != nil {
		t.Fatal(err)
	}
	for name, verifiers := range map[string]note.Verifiers{"a stranger's key": unrelated, "no key": nil} {
		if _, err := checkpoint.Open(alone, verifiers); !errors.Is(err, checkpoint.ErrUnsigned) {
			t.Errorf("with %s: %v", name, err)
		}
	}
	forged := []byte(strings.Replace(string(signed), "\n12\n", "\n11\n", 1))
	if _, err := checkpoint.Open(forged, known); !errors.Is(err, checkpoint.ErrUnsigned) {
		t.Errorf("with another size: %v", err)
	}
	other, err := note.Sign(&note.Note{Text: "go.sum database tree\n1\nAA==\n"}, signer)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"nothing": nil, "another note": other, "a large one": append(make([]byte, 64<<10), signed...), "the text alone": []byte(c.Text())} {
		if _, err := checkpoint.Open(bad, known); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%s is opened: %v", name, err)
		}
		if _, err := checkpoint.Read(bad); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%s is read: %v", name, err)
		}
	}
	if _, err := checkpoint.Sign(checkpoint.Checkpoint{}, signer); !errors.Is(err, checkpoint.ErrMalformed) {
		t.Errorf("signed an invalid checkpoint: %v", err)
	}
}
