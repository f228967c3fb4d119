// This file finds the comments and strings of a program.

package code

import "strings"

// data describes the syntax of setting values and shell words, with comments after "#".
var data = language{"data", []string{"#"}, nil, []quote{double, single}, "", "https://yaml.org/spec/1.2.2/"}

// Texts returns the byte ranges of the comments and strings of a program, without their marks. An
// unknown language is read as settings or shell.
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
