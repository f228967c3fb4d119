package bundle_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/review/bundle"
)

// many returns a bundle of n subjects with a version of about 4 KB each, and a statement
// for every tenth.
func many(n int) bundle.Bundle {
	b := bundle.Bundle{Format: bundle.Format, Header: bundle.Header{Database: "d", View: []string{}}, Records: bundle.Records{Signers: []bundle.State{}}}
	for i := range n {
		b.Versions = append(b.Versions, bundle.Version{Subject: fmt.Sprintf("tool:user/t%d", i), Version: history.Version{Number: 1, Definition: []byte(`"` + strings.Repeat("x", 4000) + `"`)}})
		if i%10 == 0 {
			b.Statements = append(b.Statements, bundle.Statement{Statement: fmt.Sprint("statement ", i)})
		}
	}
	return b
}

// TestPartsOfAChange splits a bundle, changes one version with a new statement, and counts the parts with different
// hashes.
func TestPartsOfAChange(t *testing.T) {
	b := many(1500)
	before, parts, err := b.Split()
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := b.Split(); err != nil || fmt.Sprint(again) != fmt.Sprint(before) {
		t.Errorf("the same bundle has other parts: %v", err)
	}
	b.Versions[77].Number = 2
	b.Statements = append(b.Statements, bundle.Statement{Statement: "another"})
	_, now, err := b.Split()
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(now, func(hash string, _ []byte) bool { return parts[hash] != nil })
	size := 0
	for _, part := range now {
		size += len(part)
	}
	if len(now) != 2 || size > 256<<10 {
		t.Errorf("a change has %d new parts of %d with %d bytes", len(now), len(parts), size)
	}
}

// TestJoin joins the parts of a bundle, and checks that parts missing in the index are rejected.
func TestJoin(t *testing.T) {
	text, err := os.ReadFile("testdata/bundle.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	index, parts, err := b.Split()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := index.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if index, err = bundle.DecodeIndex(encoded); err != nil {
		t.Fatal(err)
	}
	get := func(hash string) ([]byte, error) { return parts[hash], nil }
	joined, err := index.Join(get)
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.Check(t.Context(), bundle.Trust{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := joined.Check(t.Context(), bundle.Trust{})
	if err != nil || len(got.Faults) != len(want.Faults) || len(got.Live) != len(want.Live) || len(got.Live) == 0 {
		t.Errorf("joined: %d live and %v, %v; want %d and %v", len(got.Live), got.Faults, err, len(want.Live), want.Faults)
	}
	for name, damage := range map[string]func(i *bundle.Index, parts map[string][]byte){
		"a part changed": func(i *bundle.Index, parts map[string][]byte) { parts[i.Parts[0]] = []byte(`{}`) },
		"a part twice":   func(i *bundle.Index, _ map[string][]byte) { i.Parts = append(i.Parts, i.Parts[0]) },
		"an unknown key": func(i *bundle.Index, parts map[string][]byte) {
			i.Parts[0] = bundle.PartHash([]byte(`{"trust":1}`))
			parts[i.Parts[0]] = []byte(`{"trust":1}`)
		},
	} {
		bad, of := index, maps.Clone(parts)
		bad.Parts = append([]string{}, index.Parts...)
		damage(&bad, of)
		if _, err := bad.Join(func(hash string) ([]byte, error) { return of[hash], nil }); !errors.Is(err, bundle.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOnly extracts one subject from a bundle. The result must still be verifiable.
func TestOnly(t *testing.T) {
	text, err := os.ReadFile("testdata/bundle.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.Check(t.Context(), bundle.Trust{})
	if err != nil {
		t.Fatal(err)
	}
	one := b.Only(all.Live[:1])
	r, err := one.Check(t.Context(), bundle.Trust{})
	if err != nil || len(r.Live) != 1 || r.Live[0].Subject != all.Live[0].Subject {
		t.Errorf("only %s: %v, %v", all.Live[0].Subject, r.Live, err)
	}
}
