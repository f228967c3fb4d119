// This file finds the comments and strings of a program.

package code

import "strings"

// data describes the syntax of values in settings and of words in shell commands. Comments begin
// with "#".
var data = language{"data", []string{"#"}, nil, []quote{double, single}, "", "https://yaml.org/spec/1.2.2/"}

// Texts returns the byte ranges of the comments and strings in a program, without comment marks and
// quotes. A text in an unknown language is read as settings.
func Texts(text, lang string) (comments, strs [][2]int) {
	l, ok := find(lang)
	if !ok {
		l = &data
	}
	lexed := lex(text, l)
	for _, s := range lexed.strings {
		content := strings.TrimLeft(text[s.start:s.end], "\"'`@")
		start := s.end - len(content)
		strs = append(strs, [2]int{start, start + len(strings.TrimRight(content, "\"'`@"))})
	}
	return lexed.comments, strs
}
