package markdown

import "strings"

// partBytes is about how long a part is: one is laid out within a few frames,
// whatever is in it, and what a screen shows is in the first. The time that
// parsers and renderers take grows with the square of some texts.
const partBytes = 3_000

// maxLine is the longest line that is rendered.
const maxLine = 2 * partBytes

// Split cuts a text into parts that can be rendered one after the other: at
// empty lines outside of code, or where a part gets far too long, at a line.
func Split(text string) []string {
	var parts []string
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		b.WriteString(line)
		fence = within(fence, line)
		blank := strings.TrimSpace(line) == ""
		switch {
		case b.Len() >= partBytes && blank && fence == "":
		case b.Len() >= maxLine:
		default:
			continue
		}
		if fence != "" { // the code goes on in the next part
			b.WriteString(fence + "\n")
		}
		parts = append(parts, b.String())
		b.Reset()
		if fence != "" {
			b.WriteString(fence + "\n")
		}
	}
	if b.Len() > 0 {
		parts = append(parts, b.String())
	}
	return parts
}

// within returns the fence of the code that a line leaves the text in, "" for
// none (CommonMark 0.31, section 4.5).
func within(fence, line string) string {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return fence
	}
	n := 0
	for n < len(body) && (body[n] == '`' || body[n] == '~') && body[n] == body[0] {
		n++
	}
	rest := strings.TrimSpace(body[n:])
	switch {
	case n < 3:
		return fence
	case fence == "" && (body[0] == '~' || !strings.Contains(rest, "`")):
		return body[:n]
	case fence != "" && body[0] == fence[0] && n >= len(fence) && rest == "":
		return ""
	}
	return fence
}
