package findings

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// fingerprints identify a finding from run to run: by rule, tool, field and
// passage, and by a count where all of these are the same. Lines and the place
// of the tool in its list do not count, so an alert stays the same one when
// something is added above it. Code scanning reads primaryLocationLineHash; it
// computes one of the text around a line when there is none, which changes with
// every neighbour in a file of one line.
func fingerprints(f Finding, seen map[string]int) map[string]string {
	parts := []string{f.Rule, f.Subject, cmp.Or(f.Field, f.Path), f.Passage}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	hash := hex.EncodeToString(sum[:8])
	seen[f.File+"\x00"+hash]++
	print := hash + ":" + strconv.Itoa(seen[f.File+"\x00"+hash])
	return map[string]string{"toolcrib/v1": print, "primaryLocationLineHash": print}
}
