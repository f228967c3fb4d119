package bundle_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"toolcrib/review/bundle"
)

// FuzzDecode compares the decoder of bundles with the encoder, and verifies every bundle that can be decoded.
func FuzzDecode(f *testing.F) {
	small, err := os.ReadFile("testdata/bundle.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add([]byte(`{"format":"toolcrib bundle 1"}`))
	f.Add([]byte(`{"format":"toolcrib bundle 1","format":"toolcrib bundle 1"}`))
	f.Add([]byte(`{"format":"toolcrib bundle 1","versions":[{"subject":"tool:user/x","number":-1,"definition":null}]}`))
	f.Add([]byte(`{"format":"toolcrib bundle 2"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := bundle.Decode(text)
		if err != nil {
			if !errors.Is(err, bundle.ErrMalformed) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		r, err := b.Check(t.Context(), bundle.Trust{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if r.Signed > 0 {
			t.Errorf("%q: %d count without anybody to trust", text, r.Signed)
		}
		again, err := b.Encode()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if b, err = bundle.Decode(again); err != nil {
			t.Fatalf("%q: %v", again, err)
		}
		if twice, err := b.Encode(); err != nil || !bytes.Equal(again, twice) {
			t.Errorf("%q: %v", again, err)
		}
	})
}

// TestDecodeIsStrict checks that texts that Encode does not produce are rejected.
func TestDecodeIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"another format": `{"format":"toolcrib bundle 3"}`, "no format": `{}`, "a list": `[]`, "nothing": ``, "two": `{"format":"toolcrib bundle 1"}{}`,
		"an unknown key":   `{"format":"toolcrib bundle 1","trust":"me"}`,
		"a key twice":      `{"format":"toolcrib bundle 1","database":"a","database":"b"}`,
		"another case":     `{"format":"toolcrib bundle 1","database":"a","Database":"b"}`,
		"a letter like s":  `{"format":"toolcrib bundle 1","verſions":[]}`,
		"deeper":           `{"format":"toolcrib bundle 1","versions":[{"subject":"a","Subject":"b"}]}`,
		"too deep":         `{"format":"toolcrib bundle 1","versions":[{"definition":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}]}`,
		"a number as text": `{"format":"toolcrib bundle 1","log":{"seq":"1"}}`,
	} {
		if _, err := bundle.Decode([]byte(text)); !errors.Is(err, bundle.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := bundle.Decode(make([]byte, bundle.MaxSize+1)); !errors.Is(err, bundle.ErrMalformed) {
		t.Errorf("too large: %v", err)
	}
}
