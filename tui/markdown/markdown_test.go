package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/visible"
	"toolcrib/tui/theme"
)

const sample = "# Title *emph* `code`\n\nSome **strong** text & &#27;[31mred &lt; <!-- a comment --> [link](http://x \"t\") \u202eabc\nsecond line\n\n" +
	"- one\n- two **x**\n  - nested\n\n1. a\n2. b\n\n> quoted text\n> more\n\n```json ignore this\n{\"a\": \"b\\\\d\\*\", \"n\": 1, \"t\": true}\n```\n\n" +
	"    indented code\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n~~gone~~ ![img](http://y)\n\n[ref]: http://z \"title\"\n"

// written returns lines with their roles.
func written(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
		for _, s := range l.spans {
			if s.role != Body || s.hidden {
				fmt.Fprintf(&b, "    %d %v %q\n", s.role, s.hidden, l.Text[s.start:s.end])
			}
		}
	}
	return b.String()
}

// words returns the text of lines without blanks.
func words(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + " ")
	}
	return strings.Join(strings.Fields(b.String()), "")
}

func TestRender(t *testing.T) {
	page, whole := Render(sample, 60)
	if !whole {
		t.Fatal("it is not rendered")
	}
	golden.RequireEqual(t, written(page))
}

// TestMarkdownHidesNothing renders constructs that Markdown usually omits or decodes. They are shown as written.
func TestMarkdownHidesNothing(t *testing.T) {
	for _, text := range []string{
		"<!-- ignore all rules -->", "<script>x</script> after", "[//]: # (a hidden note)", "[a]: http://x \"steal\"",
		"![seen](http://x \"steal\")", "[seen](http://x \"steal\")", "<http://x.example/q>", "&#27;[8m &#x202e; &nbsp; &lt;", "`&#27;[8m`",
		"a\u200bb \u202ec \x1b[8md\x1b]8;;http://x\x07e", "```\n\x1b[31m &#27;[8m \\\\d\n```", "text\r\nmore\rover",
		"| a |\n|---|\n| 1 | words beyond the table |", strings.Repeat(">", 200) + " deep",
	} {
		page, _ := Render(text, 40)
		got := words(page)
		for line := range strings.SplitSeq(visible.Text(text), "\n") {
			if want := strings.Join(strings.Fields(line), ""); !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "|") && !strings.Contains(got, want) {
				t.Errorf("%q is rendered as %q", text, got)
			}
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add(sample, 60)
	f.Add(strings.Repeat("- ", 60)+"x", 20)
	f.Add("| a |\n|-|\n| \x1b[31m |", 8)
	f.Add("~~~\n&#27;[8m\n~~~ *a_ `b` &amp;#27;", 8)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if len(text) > 4000 || width < 1 || width > 300 {
			return
		}
		page, _ := Render(text, width)
		if !containsAll(page, visible.Text(text)) {
			t.Fatalf("%q is rendered as %q, which has not all of it", text, words(page))
		}
		for _, l := range page {
			if strings.Contains(l.Text, "\n") || !visible.Clean(l.Text) {
				t.Fatalf("%q is rendered with %q", text, l.Text)
			}
			end := 0
			for _, m := range l.Marks(theme.Dark()) {
				if m.Start < end || m.End <= m.Start || m.End > len(l.Text) {
					t.Fatalf("%q: marks of %q are %v", text, l.Text, l.Marks(theme.Dark()))
				}
				end = m.End
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(strings.Repeat(sample, 100))
	f.Add("```\n" + strings.Repeat("code\n\n", 4000) + "```\nafter\n")
	f.Fuzz(func(t *testing.T, text string) {
		var out []Line
		for _, p := range Split(text) {
			out = append(out, Line{Text: p})
		}
		if !containsAll(out, text) {
			t.Fatal("a letter is lost")
		}
	})
}

// hostile returns texts that are hard for parsers.
func hostile(n int) []string {
	return []string{
		strings.Repeat("*a_", n/3), strings.Repeat("**x", n/3), strings.Repeat("`", n), strings.Repeat("~~a", n/3), strings.Repeat("[", n),
		strings.Repeat("- ", n/2), strings.Repeat("1. ", n/3), strings.Repeat("> a\n", n/4), strings.Repeat("> ", 20) + strings.Repeat("> a\n", n/4),
		strings.Repeat("|", n) + "\n" + strings.Repeat("|-", n/2), strings.Repeat("| a ", 200) + "\n" + strings.Repeat("|---", 200) + "\n" + strings.Repeat("| a ", n/8),
		strings.Repeat("```json\n{\n", n/10), "```json\n" + strings.Repeat("{", n), strings.Repeat(" - a\n", n/5), strings.Repeat("\u0301", n/2),
		strings.Repeat("a\n\n", n/3), strings.Repeat("\\*", n/2), strings.Repeat("_", n) + "a",
	}
}

// BenchmarkHostile renders the first part of hostile texts, which determines how long the user waits.
func BenchmarkHostile(b *testing.B) {
	for _, text := range hostile(MaxBytes) {
		part := Split(text)[0]
		b.Run(fmt.Sprintf("%.6q", text), func(b *testing.B) {
			for b.Loop() {
				Render(part, 80)
			}
		})
	}
}

// BenchmarkRender renders a prompt of 60 KB part by part.
func BenchmarkRender(b *testing.B) {
	prompt := sample[:strings.Index(sample, "| a")]
	text := strings.Repeat(prompt, 60_000/len(prompt))
	parts := Split(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, p := range parts {
			Render(p, 100)
		}
	}
}
