package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// random returns a source with the same numbers in every run.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// prose returns n lines that resemble a long prompt: sentences, headings, bullets,
// blank lines, and lines that occur many times.
func prose(r *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		switch k := r.IntN(20); {
		case k < 4:
			lines[i] = ""
		case k == 4:
			lines[i] = "## " + words(r, 2)
		case k == 5:
			lines[i] = "```"
		case k == 6:
			lines[i] = "- Cite a receipt."
		case k < 12:
			lines[i] = "- " + words(r, 3+r.IntN(6))
		default:
			lines[i] = words(r, 6+r.IntN(10))
		}
	}
	return lines
}

// code returns about n lines that resemble a JSON schema or a program: most lines
// occur many times, and blocks are similar.
func code(r *rand.Rand, n int) []string {
	var lines []string
	for len(lines) < n {
		lines = append(lines, "func "+words(r, 1)+"() {")
		for range 1 + r.IntN(8) {
			switch r.IntN(4) {
			case 0:
				lines = append(lines, "\tif err != nil {", "\t\treturn err", "\t}")
			case 1:
				lines = append(lines, "\t"+words(r, 1)+"()")
			default:
				lines = append(lines, "\t"+words(r, 1)+" = "+words(r, 2))
			}
		}
		lines = append(lines, "\treturn nil", "}", "")
	}
	return lines
}

func words(r *rand.Rand, n int) string {
	const stems = "scene pace beat voice canon file line draft check report name point place quote turn hold tool agent user text never always only when before after every evidence reader chapter outline stakes"
	all := strings.Fields(stems)
	out := make([]string, n)
	for i := range out {
		out[i] = all[r.IntN(len(all))]
	}
	return strings.Join(out, " ")
}

// edited returns lines with about the given part of them changed: words replaced,
// lines removed or added, blocks moved.
func edited(r *rand.Rand, lines []string, part float64) []string {
	out := slices.Clone(lines)
	for want := int(part * float64(len(lines))); want > 0; {
		i := r.IntN(len(out))
		run := min(1+r.IntN(4), len(out)-i, want)
		switch r.IntN(10) {
		case 0, 1:
			out = slices.Delete(out, i, i+run)
		case 2, 3:
			out = slices.Insert(out, i, prose(r, run)...)
		case 4:
			block := slices.Clone(out[i : i+run])
			out = slices.Delete(out, i, i+run)
			j := max(0, min(len(out), i+r.IntN(200)-100))
			out = slices.Insert(out, j, block...)
			want -= run
		default:
			for j := i; j < i+run; j++ {
				out[j] = reworded(r, out[j])
			}
		}
		want -= run
	}
	return out
}

func reworded(r *rand.Rand, line string) string {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return words(r, 5)
	}
	fields[r.IntN(len(fields))] = words(r, 1)
	return strings.Join(fields, " ")
}

// join ends every line with a newline.
func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// pair is a named input for tests and benchmarks.
type pair struct {
	name     string
	old, new string
}

// repeated returns the given lines, each repeated k times.
func repeated(lines []string, k int) []string {
	var out []string
	for _, l := range lines[:len(lines)/k] {
		out = append(out, slices.Repeat([]string{l}, k)...)
	}
	return out
}

// letters returns n lines of one letter each from an alphabet of the given size.
func letters(r *rand.Rand, alphabet, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = string(rune('a' + r.IntN(alphabet)))
	}
	return out
}

// adversarial returns pairs of about size bytes, each of which defeats a technique
// of diff algorithms.
func adversarial(size int) []pair {
	r := random(7)
	distinct := make([]string, size/20)
	for i := range distinct {
		distinct[i] = fmt.Sprintf("line number %06d", i)
	}
	shuffled := func(lines []string) []string {
		out := slices.Clone(lines)
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	reversed := func(lines []string) []string {
		out := slices.Clone(lines)
		slices.Reverse(out)
		return out
	}
	rewrite := make([]string, len(distinct))
	for i := range rewrite {
		rewrite[i] = fmt.Sprintf("other text  %06d", i)
	}
	twice := slices.Concat(distinct[:len(distinct)/2], distinct[:len(distinct)/2])
	dozens := repeated(distinct, 12)
	blanks := make([]string, 0, len(distinct))
	blanksNew := make([]string, 0, len(distinct))
	for i := range len(distinct) / 2 {
		blanks = append(blanks, distinct[i], "")
		blanksNew = append(blanksNew, rewrite[i], "", "")
	}
	n := size / 2
	one := strings.Repeat("\n", size)
	return []pair{
		{"shuffled", join(distinct), join(shuffled(distinct))},
		{"reversed", join(distinct), join(reversed(distinct))},
		{"rewrite", join(distinct), join(rewrite)},
		{"rewrite between blanks", join(blanks), join(blanksNew)},
		{"twice reversed", join(twice), join(reversed(twice))},
		{"twice shuffled", join(twice), join(shuffled(twice))},
		{"dozens shuffled", join(dozens), join(shuffled(dozens))},
		{"alternating shifted", strings.Repeat("a\nb\n", n/2), strings.Repeat("b\na\n", n/2)},
		{"alternating pairs", strings.Repeat("a\nb\n", n/2), strings.Repeat("a\na\nb\nb\n", n/4)},
		{"alternating and halves", strings.Repeat("a\nb\n", n/2), strings.Repeat("a\n", n/2) + strings.Repeat("b\n", n/2)},
		{"halves swapped", strings.Repeat("a\n", n/2) + strings.Repeat("b\n", n/2), strings.Repeat("b\n", n/2) + strings.Repeat("a\n", n/2)},
		{"random of 2", join(letters(r, 2, n)), join(letters(r, 2, n))},
		{"random of 4", join(letters(r, 4, n)), join(letters(r, 4, n))},
		{"random of 20", join(letters(r, 20, n)), join(letters(r, 20, n))},
		{"random of 500", join(letters(r, 500, n/2)), join(letters(r, 500, n/2))},
		{"newlines", one, one[:size*2/3]},
		{"everything new", "", join(distinct)},
		{"periods 3 and 5", strings.Repeat("a\nb\nc\n", n/3), strings.Repeat("a\nc\nb\nb\na\n", n/5)},
		{"one line each", strings.Repeat("x", size), strings.Repeat("y", size)},
	}
}
