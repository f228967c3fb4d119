package statement_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"toolcrib/signing/statement"
)

// TestSize tests values at and beyond the limits.
func TestSize(t *testing.T) {
	d := &statement.Decision{Verdict: statement.Approved, Set: "all"}
	for i := range statement.MaxItems {
		next := item(1)
		next.Proposal = fmt.Sprintf("01939e2a-7c00-7000-8000-%012x", i)
		d.Items = append(d.Items, next)
	}
	b, err := statement.Encode(statementOf(d, ""))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := statement.Decode(b); err != nil || len(got.Act.(*statement.Decision).Items) != statement.MaxItems {
		t.Errorf("the largest change set: %v", err)
	}
	if _, err := statement.Decode(append(b, make([]byte, statement.MaxSize)...)); !errors.Is(err, statement.ErrMalformed) {
		t.Errorf("more than the limit: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range vectors() {
		b, err := statement.Encode(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := statement.Decode(b)
		if err != nil {
			if !errors.Is(err, statement.ErrMalformed) {
				t.Fatalf("the error does not wrap ErrMalformed: %v", err)
			}
			return
		}
		again, err := statement.Encode(s)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%q becomes %q, %v", b, again, err)
		}
	})
}

func FuzzEncode(f *testing.F) {
	f.Add("user:mara", "rollout", "tool:user/a", proposal+"1", int64(1), 1, 1, int64(0))
	f.Fuzz(func(t *testing.T, by, set, subject, id string, seq int64, revision, version int, at int64) {
		i := item(1)
		i.Proposal, i.Subject, i.Revision, i.Version = id, subject, revision, version
		s := statementOf(&statement.Decision{Verdict: statement.Approved, Set: set, Items: []statement.Item{i}}, by)
		s.By, s.Log.Seq, s.At = by, seq, time.UnixMicro(at).UTC()
		b, err := statement.Encode(s)
		if err != nil {
			return
		}
		if got, err := statement.Decode(b); err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%q was written of %+v and is read as %+v, %v", b, s, got, err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	s := vectors()["approved"]
	for b.Loop() {
		if _, err := statement.Encode(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	encoded, err := statement.Encode(vectors()["approved"])
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(encoded)))
	for b.Loop() {
		if _, err := statement.Decode(encoded); err != nil {
			b.Fatal(err)
		}
	}
}
