// This file decodes text with interspersed non-text bytes.

package disguise

import (
	"strings"

	"toolcrib/registry/filetext"
)

// removeEscapedBytes queues the lines that contain escaped non-text bytes (see package filetext), joined
// and without the escapes, because many clients drop such bytes.
func (s *Decoder) removeEscapedBytes() {
	if s.seg.Depth > 0 || !strings.Contains(s.text, "⟨") {
		return
	}
	var out []byte
	var offs []int32
	at := 0
	for line := range strings.Lines(s.text) {
		length, escaped := len(out), false
		for i := 0; i < len(line); {
			if n := filetext.EscapeLength(line[i:]); n > 0 {
				i, escaped = i+n, true
				continue
			}
			out, offs = append(out, line[i]), append(offs, int32(at+i))
			i++
		}
		if !escaped {
			out, offs = out[:length], offs[:length]
		}
		at += len(line)
	}
	if len(out) > 0 {
		s.push(string(out), int(offs[0]), at, append(offs, int32(at)), Interspersed)
	}
}
