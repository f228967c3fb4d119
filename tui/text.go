package tui

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/visible"
)

func itoa(n int) string { return strconv.Itoa(n) }

// clean reports whether text has nothing in it that a screen would not show.
func clean(text string) bool { return visible.Clean(text) }

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// cutLast cuts s around the last sep.
func cutLast(s string, sep byte) (before, after string) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i+1:]
}
