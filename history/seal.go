package history

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Seal returns the SHA-256, in lower-case hex, over a list of fields. Every
// field is written as a netstring (D. J. Bernstein, 1997: its length in bytes
// in decimal, ":", the bytes, ","), so no two different lists are hashed as the
// same bytes.
func Seal(fields ...string) string {
	size := 0
	for _, f := range fields {
		size += len(f) + 12
	}
	return sum(appendFields(make([]byte, 0, size), fields))
}

func appendFields(b []byte, fields []string) []byte {
	for _, f := range fields {
		b = AppendField(b, f)
	}
	return b
}

// AppendField appends a field as Seal hashes it, for callers that build the list
// without allocating strings.
func AppendField[T string | []byte](b []byte, field T) []byte {
	b = strconv.AppendInt(b, int64(len(field)), 10)
	b = append(b, ':')
	b = append(b, field...)
	return append(b, ',')
}

func sum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
