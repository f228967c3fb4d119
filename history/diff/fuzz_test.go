package diff_test

import "testing"

// FuzzLines checks all promises of a patch and its hunks on any two texts.
func FuzzLines(f *testing.F) {
	f.Add("", "")
	f.Add("a\nb\nc\n", "a\nc\n")
	f.Add("one\r\ntwo\r\n", "one\ntwo")
	f.Add("x\n\n\nx\n", "x\n\nx\n\n")
	f.Add("cafe\u0301 🇩🇪🇩🇰 \u200bצ \xff\xfe", "café 🇩🇰🇩🇪 \u202eצ \xfe\n")
	f.Add("Look at each scene\nand say where the\npace drops.\n", "Look at each scene and\nsay where its pace\ndrops.\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		p := valid(t, before, after)
		if (before == after) != p.Empty() {
			t.Fatal("Empty is wrong")
		}
		for _, context := range []int{0, 3, -1} {
			validHunks(t, p, before, after, context)
		}
	})
}

// FuzzMerge3 checks the laws of a merge on any three texts.
func FuzzMerge3(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n")
	f.Add("", "x\n", "y")
	f.Add("a\nb\nc\nd\ne\n", "a\nc\nd\ne\nf", "A\nb\nc\nd\ne\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		mergeLaws(t, base, ours, theirs)
	})
}
