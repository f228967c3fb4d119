package checkpoint_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolcrib/signing/checkpoint"
)

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
			t.Fatalf("%q not found", c.old)
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

// TestResume checks that a saved tree continues like a log that is read from the
// start.
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
