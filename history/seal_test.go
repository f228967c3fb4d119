package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSeal has known seals: the format must not change, because stored seals must
// remain valid.
func TestSeal(t *testing.T) {
	for sealed, fields := range map[string][]string{
		"":                           nil,
		"0:,":                        {""},
		"1:a,":                       {"a"},
		"2:é,0:,":                    {"é", ""},
		"3:1:a,1:,,":                 {"1:a", ","},
		"11:a\x00b\xff,,,:,\n\n,0:,": {"a\x00b\xff,,,:,\n\n", ""},
	} {
		sum := sha256.Sum256([]byte(sealed))
		if got := Seal(fields...); got != hex.EncodeToString(sum[:]) {
			t.Errorf("Seal(%q) = %s; want the sum of %q", fields, got, sealed)
		}
	}
}

// parse splits the output of appendFields.
func parse(b string) ([]string, error) {
	var fields []string
	for b != "" {
		digits, rest, ok := strings.Cut(b, ":")
		var n int
		if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || !ok || n > len(rest)-1 || rest[n] != ',' {
			return nil, fmt.Errorf("%q is not a netstring", b)
		}
		fields, b = append(fields, rest[:n]), rest[n+1:]
	}
	return fields, nil
}

// FuzzSealedForm checks that the sealed bytes can be parsed to the original list,
// so that different lists have different bytes.
func FuzzSealedForm(f *testing.F) {
	f.Add("", "", "", uint8(3))
	f.Add("1:a,", ",", "0:", uint8(2))
	f.Add("a", "12:", "\x00", uint8(1))
	f.Fuzz(func(t *testing.T, a, b, c string, n uint8) {
		fields := []string{a, b, c}[:n%4]
		got, err := parse(string(appendFields(nil, fields)))
		if err != nil || !slices.Equal(got, fields) {
			t.Errorf("%q is sealed as %q, %v", fields, got, err)
		}
	})
}

// TestSealDistinguishesLists seals every way to divide some short texts into fields,
// including lists with the same concatenation. All seals must differ.
func TestSealDistinguishesLists(t *testing.T) {
	seen := map[string][]string{}
	check := func(fields []string) {
		seal := Seal(fields...)
		if before, ok := seen[seal]; ok && !slices.Equal(before, fields) {
			t.Errorf("%q and %q have the same seal", before, fields)
		}
		seen[seal] = slices.Clone(fields)
	}
	for _, text := range []string{"", "aaa", "1:a,1:a", "0:,0:,", ",,,", "10:0123456789,"} {
		for cuts := range 1 << max(len(text)-1, 0) {
			var fields []string
			start := 0
			for i := 1; i < len(text); i++ {
				if cuts&(1<<(i-1)) != 0 {
					fields, start = append(fields, text[start:i]), i
				}
			}
			fields = append(fields, text[start:])
			check(fields)
			check(append(fields, ""))
			check(append([]string{""}, fields...))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		fields := make([]string, random.IntN(5))
		for i := range fields {
			b := make([]byte, random.IntN(4))
			for j := range b {
				b[j] = "01:,a"[random.IntN(5)]
			}
			fields[i] = string(b)
		}
		check(fields)
	}
	t.Logf("%d lists", len(seen))
}
