package code

import "strings"

// data is how values of settings and words of shells are written: with comments behind "#".
var data = language{"data", []string{"#"}, nil, []quote{double, single}, "", "https://yaml.org/spec/1.2.2/"}

// Texts returns where the comments and the strings of a program are, without their marks.
// A language that this package does not know is read as settings or a shell.
func Texts(text, lang string) (comments, strs [][2]int) {
	l, ok := find(lang)
	if !ok {
		l = &data
	}
	lexed := lex(text, l)
	for _, c := range lexed.comments {
		comments = append(comments, [2]int{c.start, c.end})
	}
	for _, s := range lexed.strings {
		content := strings.TrimLeft(text[s.start:s.end], "\"'`@")
		start := s.end - len(content)
		strs = append(strs, [2]int{start, start + len(strings.TrimRight(content, "\"'`@"))})
	}
	return comments, strs
}
