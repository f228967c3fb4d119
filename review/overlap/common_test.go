package overlap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCommon(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       []string // passages of a and b in turn
	}{
		{"nothing", "", "one two three four five six", nil},
		{"too short", "one two three four five X", "one two three four five Y", nil},
		{"all", "One two three four five six.", "one two three, four five six!", []string{"One two three four five six", "one two three, four five six"}},
		{
			"longest first", "a b c d e f x q r s t u v w y", "q r s t u v w. a b c d e f",
			[]string{"q r s t u v w", "q r s t u v w", "a b c d e f", "a b c d e f"},
		},
		{"longest place", "a b c d e f g h", "a b c d e f x a b c d e f g", []string{"a b c d e f g", "a b c d e f g"}},
		{"form", "— Read\u200b the “ﬁle” then STOP here", "read the file\nthen stop here", []string{"Read\u200b the “ﬁle” then STOP here", "read the file\nthen stop here"}},
		{"scripts without spaces", "读取文件内容。", "请读取文件内容吧", []string{"读取文件内容", "读取文件内容"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range Common(tt.a, tt.b) {
				got = append(got, tt.a[p.A.Start:p.A.End], tt.b[p.B.Start:p.B.End])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCommonIsLimited(t *testing.T) {
	var a, b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&a, "%s x%d ", text(prose(chance(uint64(i)), 10+i)), i)
		fmt.Fprintf(&b, "%s y%d ", text(prose(chance(uint64(i)), 10+i)), i)
	}
	got := Common(a.String(), b.String())
	if len(got) != maxPassages || got[0].Words != 39 {
		t.Errorf("got %d passages: %v", len(got), got)
	}
}

// A common passage is the same in both texts.
func FuzzCommon(f *testing.F) {
	f.Add("one two three four five six seven", "zero one two three four five six")
	f.Add(strings.Repeat("a b ", 20), strings.Repeat("b a ", 20))
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, p := range Common(a, b) {
			x, y := placesIn(a[p.A.Start:p.A.End]), placesIn(b[p.B.Start:p.B.End])
			if len(x) != p.Words || len(y) != p.Words || alike(x, y) != p.Words {
				t.Fatalf("%d words: %q and %q", p.Words, a[p.A.Start:p.A.End], b[p.B.Start:p.B.End])
			}
		}
	})
}
