package checkpoint_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/signing/checkpoint"
)

var update = flag.Bool("update", false, "write the vectors of testdata")

// event is the hash of an event in these tests: the SHA-256 of "event N".
func event(n int64) string { return hashOf(fmt.Sprintf("event %d", n)) }

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// head is the Merkle tree head as RFC 6962, section 2.1, defines it.
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

// at returns the checkpoint of a log of size events.
func at(size int64) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{Genesis: event(1), Size: size, Root: head(events(size)), Calls: checkpoint.Head{Seq: 7, Hash: hashOf("call 7")}}
}

// keyPair makes a key of a note.
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

// TestPublished checks the vectors of testdata: roots of logs of event hashes,
// and a signed checkpoint with its key.
func TestPublished(t *testing.T) {
	const most = 20
	var roots strings.Builder
	for n := int64(1); n <= most; n++ {
		fmt.Fprintf(&roots, "%d %s %s\n", n, event(n), at(n).Root)
	}
	files := map[string]string{"roots": roots.String(), "checkpoint": "", "key": ""}
	if *update {
		signer, public := newKey(t)
		signed, err := checkpoint.Sign(at(most), signer)
		if err != nil {
			t.Fatal(err)
		}
		files["checkpoint"], files["key"] = string(signed), public+"\n"
	}
	for name, text := range files {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	if files["roots"] != roots.String() {
		t.Errorf("the roots are\n%s", roots.String())
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(files["key"]))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := checkpoint.Open([]byte(files["checkpoint"]), note.VerifierList(verifier)); err != nil || c != at(most) {
		t.Errorf("the checkpoint is %+v, %v", c, err)
	}
}

// TestTree holds the tree against the definition, saved and loaded at every size.
func TestTree(t *testing.T) {
	var tree checkpoint.Tree
	for n := int64(0); n <= 130; n++ {
		if tree.Size() != n || tree.Root() != head(events(n)) {
			t.Fatalf("%d events: %d, %s", n, tree.Size(), tree.Root())
		}
		saved, err := tree.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var loaded checkpoint.Tree
		if err := loaded.UnmarshalText(saved); err != nil || loaded.Root() != tree.Root() {
			t.Fatalf("%d events, saved as %s: %v", n, saved, err)
		}
		tree = loaded
		if err := tree.Append(event(n + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.Append("not a hash"); !errors.Is(err, checkpoint.ErrMalformed) {
		t.Errorf("no hash: %v", err)
	}
	for _, wrong := range []string{"", "x", "-1", "1", "0 " + tlog.Hash{}.String(), "3 " + tlog.Hash{}.String(), "1 AA=="} {
		if err := tree.UnmarshalText([]byte(wrong)); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%q is a tree: %v", wrong, err)
		}
	}
}

// TestProofs proves every event of every log and the growth from every log to
// every other, and holds each proof against what it does not prove.
func TestProofs(t *testing.T) {
	const most = 24
	var log checkpoint.Log
	for n := int64(1); n <= most; n++ {
		if err := log.Append(event(n)); err != nil {
			t.Fatal(err)
		}
	}
	for size := int64(1); size <= most; size++ {
		now := at(size)
		for n := int64(1); n <= size; n++ {
			proof, err := log.ProveEvent(size, n)
			if err != nil || now.CheckEvent(n, event(n), proof) != nil {
				t.Fatalf("event %d of %d: %v, %v", n, size, err, now.CheckEvent(n, event(n), proof))
			}
			if err := now.CheckEvent(n, event(n+1), proof); !errors.Is(err, checkpoint.ErrProof) {
				t.Fatalf("another event %d of %d: %v", n, size, err)
			}
			if err := now.CheckEvent(n%size+1, event(n), proof); size > 1 && !errors.Is(err, checkpoint.ErrProof) {
				t.Fatalf("event %d of %d at another place: %v", n, size, err)
			}
			growth, err := log.ProveGrowth(size, n)
			if err != nil || now.CheckGrowth(at(n), growth) != nil {
				t.Fatalf("%d events after %d: %v, %v", size, n, err, now.CheckGrowth(at(n), growth))
			}
			other := at(n)
			other.Root[0] ^= 1
			if err := now.CheckGrowth(other, growth); !errors.Is(err, checkpoint.ErrProof) {
				t.Fatalf("%d events after another %d: %v", size, n, err)
			}
		}
	}
	elsewhere := at(3)
	elsewhere.Genesis = event(2)
	if err := at(5).CheckGrowth(elsewhere, nil); !errors.Is(err, checkpoint.ErrProof) {
		t.Errorf("growth from another log: %v", err)
	}
	for name, prove := range map[string]func() error{
		"an event of the future": func() error { _, err := log.ProveEvent(most+1, most+1); return err },
		"event 0":                func() error { _, err := log.ProveEvent(most, 0); return err },
		"growth to the future":   func() error { _, err := log.ProveGrowth(most+1, 2); return err },
		"growth from nothing":    func() error { _, err := log.ProveGrowth(most, 0); return err },
		"no hash":                func() error { return at(3).CheckEvent(1, "x", nil) },
	} {
		if err := prove(); !errors.Is(err, checkpoint.ErrProof) && !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChecker holds checkpoints against the log they are of, one that lost its
// end, an older copy, one with another history, and one of another database.
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

// TestSigned signs a checkpoint and opens it with the key, with another, and
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
	for name, bad := range map[string][]byte{"nothing": nil, "another note": other, "a large one": append(make([]byte, checkpoint.MaxSize), signed...), "the text alone": []byte(c.Text())} {
		if _, err := checkpoint.Open(bad, known); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%s is opened: %v", name, err)
		}
		if _, err := checkpoint.Read(bad); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%s is read: %v", name, err)
		}
	}
	if _, err := checkpoint.Sign(checkpoint.Checkpoint{}, signer); !errors.Is(err, checkpoint.ErrMalformed) {
		t.Errorf("no checkpoint is signed: %v", err)
	}
}

// TestParseIsStrict changes a checkpoint in one place.
func TestParseIsStrict(t *testing.T) {
	text := at(12).Text()
	for _, c := range []struct{ old, with string }{
		{"toolcrib/", "toolcrib"},
		{"toolcrib/", ""},
		{event(1), strings.ToUpper(event(1))},
		{event(1), event(1) + "0"},
		{"\n12\n", "\n012\n"},
		{"\n12\n", "\n0\n"},
		{"\n12\n", "\n-12\n"},
		{"\n12\n", "\n99999999999999999999\n"},
		{"\n12\n", "\r\n12\n"},
		{"=\n", "\n"},
		{"=\n", "=AAAA\n"},
		{"calls 7", "calls 07"},
		{"calls 7", "calls 0"},
		{"calls 7 ", "calls 7  "},
		{"calls", "call"},
		{hashOf("call 7"), "-"},
		{hashOf("call 7"), hashOf("call 7")[1:]},
		{hashOf("call 7") + "\n", hashOf("call 7") + "\nmore\n"},
	} {
		changed := strings.Replace(text, c.old, c.with, 1)
		if changed == text {
			t.Fatalf("there is no %q", c.old)
		}
		if _, err := checkpoint.Parse(changed); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%q for %q: %v", c.with, c.old, err)
		}
	}
	for i := range text {
		if _, err := checkpoint.Parse(text[:i]); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("the first %d bytes: %v", i, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(at(3).Text())
	none := at(3)
	none.Calls = checkpoint.Head{}
	f.Add(none.Text())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := checkpoint.Parse(text)
		if err != nil {
			if !errors.Is(err, checkpoint.ErrMalformed) {
				t.Fatalf("not a malformed checkpoint: %v", err)
			}
			return
		}
		if c.Text() != text {
			t.Fatalf("%q is read and written as %q", text, c.Text())
		}
	})
}

// FuzzProof runs proofs of all kinds: none that differs from the true one holds,
// and each comes to an end.
func FuzzProof(f *testing.F) {
	var log checkpoint.Log
	for n := int64(1); n <= 13; n++ {
		if err := log.Append(event(n)); err != nil {
			f.Fatal(err)
		}
	}
	c := at(13)
	honest, err := log.ProveEvent(13, 5)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(int64(13), int64(5), join(honest))
	f.Fuzz(func(t *testing.T, size, seq int64, b []byte) {
		var hashes []tlog.Hash
		for ; len(b) >= tlog.HashSize; b = b[tlog.HashSize:] {
			hashes = append(hashes, tlog.Hash(b))
		}
		claimed := c
		claimed.Size = size
		// Logs of other sizes can have the root that is claimed, as the signature of
		// the checkpoint is over both.
		if claimed.CheckEvent(seq, event(5), hashes) == nil && size == 13 && (seq != 5 || string(join(hashes)) != string(join(honest))) {
			t.Fatalf("event 5 is proved to be event %d", seq)
		}
		_ = claimed.CheckGrowth(at(5), hashes) // must return
	})
}

func join(hashes []tlog.Hash) []byte {
	var b []byte
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return b
}

func BenchmarkTree(b *testing.B) {
	hash := event(1)
	var tree checkpoint.Tree
	for b.Loop() {
		if err := tree.Append(hash); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzDecodeProof holds the decoder of proofs against the encoder.
func FuzzDecodeProof(f *testing.F) {
	f.Add(checkpoint.Proof{Event: 3, Hashes: []tlog.Hash{{1}, {2}}, Signed: []byte("x\n")}.Encode())
	f.Add(checkpoint.Proof{Old: 3, Hashes: []tlog.Hash{{1}}, Signed: []byte("x\n")}.Encode())
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex 0\n\n"))
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex -1\n\n"))
	f.Add([]byte("old 9223372036854775807\n\n"))
	f.Add([]byte("c2sp.org/tlog-proof@v1\nextra AA==\nindex 0\n\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := checkpoint.DecodeProof(text)
		if err != nil {
			if !errors.Is(err, checkpoint.ErrMalformed) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !bytes.Equal(p.Encode(), text) {
			t.Errorf("%q is read as %+v", text, p)
		}
	})
}

// TestResume goes on from a saved tree and finds what a reading from the start
// finds.
func TestResume(t *testing.T) {
	hash := func(i int) string { return fmt.Sprintf("%064x", i) }
	var whole, saved checkpoint.Tree
	var at []checkpoint.Checkpoint
	for i := 1; i <= 12; i++ {
		if err := whole.Append(hash(i)); err != nil {
			t.Fatal(err)
		}
		at = append(at, checkpoint.Checkpoint{Genesis: hash(1), Size: int64(i), Root: whole.Root()})
		if i == 5 {
			text, err := whole.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if err := saved.UnmarshalText(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := checkpoint.NewChecker(at[3], at[4], at[8])
	c.Resume(saved, hash(1))
	for i := 6; i <= 12; i++ {
		c.Event(hash(i))
	}
	if got := c.Result(); !errors.Is(got[0], checkpoint.ErrShorter) || got[1] != nil || got[2] != nil {
		t.Errorf("of 4, 5 and 9 events: %v", got)
	}
	if cp, err := c.Checkpoint(); err != nil || cp != at[11] {
		t.Errorf("checkpoint %v, %v", cp, err)
	}
	if saved.Size() != 5 || saved.Root() != at[4].Root {
		t.Error("the saved tree was changed")
	}
}
