// This file recognizes flags and settings that skip a check or widen permissions.

package literal

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed rights.tsv
var rights string

// modes are words that widen permissions: file modes that allow all users to write or that run a
// program as its owner (chmod(1)), and networks that cover the whole Internet (RFC 4632, section
// 3.1).
var modes = map[string]bool{
	"777": true, "0777": true, "0o777": true, "a+rwx": true, "ugo+rwx": true, "u+s": true, "+s": true, "4755": true, "o+w": true, "a+w": true,
	"0.0.0.0/0": true, "::/0": true,
}

// Flag reports whether word is a command-line option that skips a check or widens permissions.
func Flag(word string) bool {
	t := tables()
	name, _, _ := strings.Cut(word, "=")
	return t.flags[name] || t.flags[word] || slices.ContainsFunc(t.flagStarts, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// Setting reports whether setting name to value skips a check or widens permissions.
func Setting(name, value string) bool {
	values, ok := tables().settings[name]
	return ok && (len(values) == 0 || slices.Contains(values, value))
}
