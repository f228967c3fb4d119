package jsondoc

import (
	"bytes"
	"encoding/json"
)

// Encode returns v as JSON on one line, which it ends, without the escapes that
// encoding/json has for HTML.
func Encode(v any) ([]byte, error) { return encode(v, "") }

// EncodeIndented is Encode for people: indented by two spaces.
func EncodeIndented(v any) ([]byte, error) { return encode(v, "  ") }

func encode(v any, indent string) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return buf.Bytes(), err
}
