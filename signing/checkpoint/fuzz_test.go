package checkpoint_test

import (
	"errors"
	"testing"

	"toolcrib/signing/checkpoint"
)

func FuzzParse(f *testing.F) {
	f.Add(at(3).Text())
	none := at(3)
	none.Calls = checkpoint.Head{}
	f.Add(none.Text())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := checkpoint.Parse(text)
		if err != nil {
			if !errors.Is(err, checkpoint.ErrMalformed) {
				t.Fatalf("the error does not wrap ErrMalformed: %v", err)
			}
			return
		}
		if c.Text() != text {
			t.Fatalf("%q becomes %q", text, c.Text())
		}
	})
}
