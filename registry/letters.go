package registry

import "strings"

// Names are checked by plain loops: regular expressions would be compiled at every
// start.

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// maxForm is the longest name of any form in characters.
const maxForm = 64

// madeOf reports whether s has 1 to maxForm characters, all of them in allowed,
// and begins with one in first.
func madeOf(s, first, allowed string) bool {
	return s != "" && len(s) <= maxForm &&
		strings.IndexByte(first, s[0]) >= 0 && strings.Trim(s, allowed) == ""
}
