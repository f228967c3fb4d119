package diff

// interner numbers strings: equal ones get the same number, from 0 in the
// order of first sight.
type interner struct {
	numbers map[string]int32
	keys    []string
}

// newInterner returns an interner with room for about n strings.
func newInterner(n int) *interner {
	return &interner{numbers: make(map[string]int32, n), keys: make([]string, 0, n)}
}

func (t *interner) number(s string) int32 {
	n, known := t.numbers[s]
	if !known {
		n = int32(len(t.keys))
		t.numbers[s], t.keys = n, append(t.keys, s)
	}
	return n
}

// len returns how many numbers were given out.
func (t *interner) len() int { return len(t.keys) }
