package prompt

import "strings"

// A Use is one placeholder in a template.
type Use struct {
	Name   string // without "$" and braces
	Offset int    // of its "$", in bytes
	Len    int    // in bytes, with "$" and braces
}

// Uses returns the well-formed placeholders of a template in their order,
// whether or not anything of that name exists.
func Uses(template string) []Use {
	var uses []Use
	for at := 0; ; {
		i := strings.IndexByte(template[at:], '$')
		if i < 0 {
			return uses
		}
		at += i
		name, n := placeholder(template[at:])
		if name != "" {
			uses = append(uses, Use{Name: name, Offset: at, Len: n})
		}
		at += n
	}
}

// appendSubstituted appends the parts of template to dst, with its placeholders
// replaced as the safe_substitute method of string.Template in Python 3.11
// does: "$$" becomes "$", "$name" and "${name}" become the value of that name,
// and every other "$", like a name without a value, stays as it is. Values are
// taken as they are and not scanned again.
//
// They are parts rather than one text because a value may be a whole catalog,
// which is copied only once when it is handed on as it is.
func appendSubstituted(dst []string, template string, values map[string]string) []string {
	for {
		i := strings.IndexByte(template, '$')
		if i < 0 {
			return append(dst, template)
		}
		name, n := placeholder(template[i:])
		switch v, ok := values[name]; {
		case name == "":
			dst = append(dst, template[:i+1]) // "$$" and a lone "$" alike
		case ok:
			dst = append(dst, template[:i], v)
		default:
			dst = append(dst, template[:i+n])
		}
		template = template[i+n:]
	}
}

// placeholder reads what begins with the "$" that s begins with, and returns
// how many bytes of s it is long. Without a name it is "$$", 2 bytes, or a "$"
// that means nothing, 1 byte.
//
// Python matches identifiers with (?a:[_a-z][_a-z0-9]*), ignoring case. The a
// holds for the folding of case too, so that "ſ" and "K" (U+212A), which fold
// to "s" and "k", are not letters here.
func placeholder(s string) (name string, n int) {
	switch {
	case strings.HasPrefix(s, "$$"):
		return "", 2
	case strings.HasPrefix(s, "${"):
		n := identifier(s[2:])
		if n == 0 || !strings.HasPrefix(s[2+n:], "}") {
			return "", 1
		}
		return s[2 : 2+n], n + 3
	}
	n = identifier(s[1:])
	return s[1 : 1+n], 1 + n
}

// identifier returns the length of the identifier at the start of s in bytes,
// 0 when there is none.
func identifier(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
