package workbench

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestLimitedKeyboard sends input in reads of a given length, some of them after a pause, and checks the data that the
// event reader receives.
func TestLimitedKeyboard(t *testing.T) {
	long := strings.Repeat("x", 2*maxTyped)
	for _, c := range []struct {
		name, sent string
		want       string // "" if only the length is compared
	}{
		{"keys", "jjk\x1b[Aq", "jjk\x1b[Aq"},
		{"a paste", pasteStart + "one\ntwo" + pasteEnd + "q", pasteStart + "one\ntwo" + pasteEnd + "q"},
		{"keys after a paste that is too long", pasteStart + long + pasteEnd + "q", ""},
		{"a start in other words", "\x1b[0200~" + long + "q", ""},
		{"no end", pasteStart + long + "q", ""},
		{"an unknown sequence", "\x1b]" + long + "q", ""},
		{"keys without a rest", long + "q", ""},
	} {
		for _, size := range []int{5, 4096} {
			t.Run(fmt.Sprint(c.name, size), func(t *testing.T) {
				rests := 0
				k := newLimitedKeyboard(chunked{strings.NewReader(c.sent), size})
				now := time.Unix(0, 0)
				k.now, k.rest = func() time.Time { return now }, func() { rests++ }
				got, err := io.ReadAll(k)
				switch {
				case err != nil:
					t.Fatal(err)
				case c.want != "" && string(got) != c.want:
					t.Errorf("got %q", got)
				case c.want != "":
					return
				case len(got) > maxTyped+len(pasteEnd)+1 || rests != 1 || !strings.Contains(c.sent, pasteStart) && len(got) > maxBehind+len(pasteEnd):
					t.Errorf("%d bytes passed after %d rests", len(got), rests)
				case !bytes.HasSuffix(got, []byte(pasteEnd+"q")) && strings.HasSuffix(c.sent, pasteEnd+"q"):
					t.Errorf("it ends with %q", got[len(got)-10:])
				case !strings.HasSuffix(c.sent, pasteEnd+"q") && !bytes.HasSuffix(got, []byte(pasteEnd)):
					t.Errorf("what follows counts as keys: %q", got[len(got)-10:])
				}
			})
		}
	}
}

// TestLimitedKeyboardRests checks that slow input cannot form an endless paste, and that no typed keys are lost.
func TestLimitedKeyboardRests(t *testing.T) {
	k := newLimitedKeyboard(chunked{strings.NewReader("\x1b[0200~" + strings.Repeat("x", 4*longTyped)), 4096})
	now := time.Unix(0, 0)
	k.now = func() time.Time {
		now = now.Add(typingRest)
		return now
	}
	got, err := io.ReadAll(k)
	if err != nil {
		t.Fatal(err)
	}
	if ends := strings.Count(string(got), pasteEnd); ends < 3 || len(got)-ends*len(pasteEnd) != 7+4*longTyped {
		t.Errorf("%d bytes with %d ends of a paste", len(got), ends)
	}
}

// chunked reads at most the given number of bytes at a time.
type chunked struct {
	io.Reader
	size int
}

func (c chunked) Read(p []byte) (int, error) { return c.Reader.Read(p[:min(c.size, len(p))]) }
