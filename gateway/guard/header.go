package guard

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
)

// headerPrefix begins the environment variables that carry the headers of a guarded
// URL: a command line can be read by every user of the machine.
const headerPrefix = "TOOLCRIB_HEADER_"

// HeaderVariable returns the environment variable that carries the HTTP header of a
// name to a guard. The case of the name is kept, "-" becomes "_", and every other
// character that is no letter or digit, as well as a "-" behind another, becomes
// "__" and its code in two hexadecimal digits. HeaderName reverses it.
func HeaderVariable(name string) string {
	var b strings.Builder
	b.WriteString(headerPrefix)
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			b.WriteByte(c)
		case c == '-' && (i == 0 || name[i-1] != '-'):
			b.WriteByte('_')
		default:
			b.WriteString("__" + hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

// HeaderName returns the name of the HTTP header that an environment variable
// carries, false when it carries none. It accepts what HeaderVariable writes alone:
// no two variables carry one header.
func HeaderName(variable string) (string, bool) {
	rest, ok := strings.CutPrefix(variable, headerPrefix)
	if !ok || rest == "" {
		return "", false
	}
	var name []byte
	for i := 0; i < len(rest); i++ {
		if rest[i] != '_' {
			name = append(name, rest[i])
			continue
		}
		if i+3 < len(rest) && rest[i+1] == '_' {
			if c, err := hex.DecodeString(rest[i+2 : i+4]); err == nil {
				name = append(name, c[0])
				i += 3
				continue
			}
		}
		name = append(name, '-')
	}
	return string(name), HeaderVariable(string(name)) == variable
}

// headerValue writes a value that a message has, too, as the header that mirrors it
// (revision 2026-07-28, Streamable HTTP, Value Encoding).
func headerValue(value string) string {
	const begin, end = "=?base64?", "?="
	encoded := strings.HasPrefix(value, begin) && strings.HasSuffix(value, end)
	plain := strings.Trim(value, " \t") == value && !encoded
	for i := range len(value) {
		plain = plain && (value[i] == '\t' || ' ' <= value[i] && value[i] <= '~')
	}
	if plain {
		return value
	}
	return begin + base64.StdEncoding.EncodeToString([]byte(value)) + end
}

// Headers returns the headers that the variables of an environment, "NAME=value"
// each, carry.
func Headers(environ []string) http.Header {
	headers := http.Header{}
	for _, entry := range environ {
		variable, value, _ := strings.Cut(entry, "=")
		if name, ok := HeaderName(variable); ok {
			headers.Add(name, value)
		}
	}
	return headers
}
