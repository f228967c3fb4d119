package signers_test

import (
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

// generator makes random signatures and signers files.
type generator struct {
	*testing.T
	*rand.Rand
	keys  []signingtest.Key
	files []string // the private keys, for ssh-keygen
}

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// line returns one line of a signers file.
func (g generator) line() string {
	var options []string
	if g.IntN(5) == 0 {
		options = append(options, pick(g, `namespaces="toolcrib-decision-v1"`, `namespaces="git"`, `namespaces="git,toolcrib-decision-v1"`, `namespaces="toolcrib-*"`))
	}
	if g.IntN(5) == 0 {
		options = append(options, fmt.Sprintf("valid-after=%q", pick(g, "20261201Z", "20261201120000Z", "20261201120001Z", "20251231Z", "202612010959Z", "20270101Z")))
	}
	if g.IntN(5) == 0 {
		options = append(options, fmt.Sprintf("valid-before=%q", pick(g, "20261202Z", "20261201120000Z", "20261201115959Z", "20270101Z", "202612011201Z", "20261101Z")))
	}
	at := g.IntN(len(g.keys))
	words := []string{[]string{"user:mara", "user:mara", "user:ada"}[at]} // each key belongs to one person
	if len(options) > 0 {
		words = append(words, strings.Join(options, ","))
	}
	return strings.Join(append(words, signingtest.Line(g.keys[at].PublicKey())), " ")
}

// signature signs a message with toolcrib or ssh-keygen, and sometimes damages the
// result. what describes how it was made.
func (g generator) signature(message []byte) (armored []byte, what string) {
	at := g.IntN(len(g.keys))
	if g.IntN(2) == 0 {
		armored, what = sign(g.T, g.keys[at], nil, message), "toolcrib"
	} else {
		namespace := pick(g, sshsig.Namespace, sshsig.Namespace, sshsig.Namespace, "git", "toolcrib-decision-v2")
		armored, what = signingtest.MustKeygen(g.T, message, "-Y", "sign", "-n", namespace, "-f", g.files[at]), "ssh-keygen for "+namespace
	}
	what = fmt.Sprintf("key %d by %s", at, what)
	if g.IntN(3) > 0 {
		return armored, what
	}
	block, _ := pem.Decode(armored)
	if block == nil {
		g.Fatalf("no signature: %q", armored)
	}
	i := g.IntN(len(block.Bytes))
	switch g.IntN(4) {
	case 0:
		block.Bytes = block.Bytes[:i]
	case 1:
		block.Bytes = append(block.Bytes, 0)
	default:
		block.Bytes[i] ^= 1 << g.IntN(8)
	}
	return pem.EncodeToMemory(block), fmt.Sprintf("%s, damaged at %d", what, i)
}

// TestGeneratedLikeKeygen compares Check with ssh-keygen -Y verify for random
// signatures and signers files: made by either program, with and without matching
// keys, in other namespaces, outside of the valid time, damaged, or for another
// text.
func TestGeneratedLikeKeygen(t *testing.T) {
	shortrun.OneGoroutine(t)
	signingtest.NeedsKeygen(t)
	g := generator{T: t, Rand: rand.New(rand.NewPCG(34, 8))} //nolint:gosec // the same cases in every run
	for _, kind := range []string{"ed25519", "ecdsa-256", "ecdsa-384"} {
		key := signingtest.NewKey(t, kind)
		g.keys, g.files = append(g.keys, key), append(g.files, key.Write(t, ""))
	}
	verdicts := map[bool]int{}
	for n := range 400 / shortrun.Every(10) {
		lines := []string{g.line()}
		for g.IntN(2) == 0 {
			lines = append(lines, g.line())
		}
		q := question{t: t, dir: t.TempDir(), allowed: strings.Join(lines, "\n")}
		signedText := text
		if g.IntN(10) == 0 {
			signedText = slices.Concat(text, []byte("\n"))
		}
		var what string
		q.signature, what = g.signature(signedText)
		s, err := signers.Parse([]byte(q.allowed + "\n"))
		if err != nil { // toolcrib rejects the file; ssh-keygen skips the line
			if !strings.Contains(q.allowed, "toolcrib-*") && !strings.Contains(err.Error(), "valid-before must be after valid-after") {
				t.Errorf("case %d: %v\n%s", n, err, q.allowed)
			}
			continue
		}
		_, err = s.Check(text, q.signature, "user:mara", noon)
		said, ok := q.keygen()
		if verdicts[ok]++; (err == nil) != ok {
			t.Errorf("case %d, %s, another text %v: toolcrib %v, ssh-keygen %v: %s\n%s", n, what, len(signedText) != len(text), err, ok, said, q.allowed)
		}
	}
	if t.Logf("accepted and refused: %v", verdicts); verdicts[true] == 0 || verdicts[false] == 0 {
		t.Error("all cases have the same result")
	}
}
