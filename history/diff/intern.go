package diff

import "hash/maphash"

// interner numbers strings: equal ones get the same number, from 0 in the
// order of first sight. It is a hash table with open addressing; Go's map
// costs several times as much on the tens of thousands of lines of a text. The
// hash is seeded, so no text can be written to collide, and the numbers do not
// depend on it.
type interner struct {
	seed  maphash.Seed
	slots []slot // the length is a power of two
	keys  []string
}

// slot is a place of the table: the hash of a string and its number plus 1, or
// 0 when it is free.
type slot struct {
	hash uint32
	id1  int32
}

// newInterner returns an interner with room for about n strings.
func newInterner(n int) *interner {
	size := 64
	for size < 2*n {
		size *= 2
	}
	return &interner{seed: maphash.MakeSeed(), slots: make([]slot, size), keys: make([]string, 0, n)}
}

func (t *interner) number(s string) int32 {
	wide := maphash.String(t.seed, s)
	h := uint32(wide) ^ uint32(wide>>32)
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i].id1 != 0; i = (i + 1) & mask {
		if id := t.slots[i].id1 - 1; t.slots[i].hash == h && t.keys[id] == s {
			return id
		}
	}
	t.keys = append(t.keys, s)
	t.slots[i] = slot{h, int32(len(t.keys))}
	if 2*len(t.keys) > len(t.slots) {
		t.rehash()
	}
	return int32(len(t.keys) - 1)
}

func (t *interner) rehash() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.id1 == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].id1 != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// len returns how many numbers were given out.
func (t *interner) len() int { return len(t.keys) }
