package tokens

import (
	"bytes"
	"compress/flate"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

var update = flag.Bool("update", false, "write the packed vocabularies")

// TestVocabularies compares the packed vocabularies with those of a library. The
// library stays at v0.7.0: v0.8.2 to v0.10.0 divide white space such as "\n  \n"
// wrongly and count a token too many.
func TestVocabularies(t *testing.T) {
	for name, library := range map[string]*codec.Codec{"o200k": codec.NewO200kBase(), "cl100k": codec.NewCl100kBase()} {
		var lengths, tokens bytes.Buffer
		for rank := uint(0); ; rank++ {
			token, err := library.Decode([]uint{rank})
			if err != nil {
				break // beyond the last: the special tokens follow after a gap
			}
			lengths.WriteByte(byte(len(token)))
			tokens.WriteString(token)
		}
		want := append(lengths.Bytes(), tokens.Bytes()...)
		if *update {
			var packed bytes.Buffer
			w, err := flate.NewWriter(&packed, flate.BestCompression)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = w.Write(want); err != nil {
				t.Fatal(err)
			}
			if err = w.Close(); err != nil {
				t.Fatal(err)
			}
			if err = os.WriteFile(name+".flate", packed.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		packed, err := os.ReadFile(name + ".flate")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the library's, run with -update: %v", name, err)
		}
	}
}
