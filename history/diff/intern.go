package diff

import "hash/maphash"

// interner numbers strings: equal ones get the same number, from 0 in the
// order of first sight. It is a hash table with open addressing; Go's map
// costs several times as much on the tens of thousands of lines of a text. The
// hash is seeded, so no text can be written to collide, and the numbers do not
// depend on it.
type interner struct {
	seed   maphash.Seed
	slots  []int32 // number+1, 0 where free; the length is a power of two
	keys   []string
	hashes []uint64
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), slots: make([]int32, 1<<10)}
}

func (t *interner) number(s string) int32 {
	h := maphash.String(t.seed, s)
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if id := t.slots[i] - 1; t.hashes[id] == h && t.keys[id] == s {
			return id
		}
	}
	id := int32(len(t.keys))
	t.slots[i] = id + 1
	t.keys = append(t.keys, s)
	t.hashes = append(t.hashes, h)
	if 2*len(t.keys) > len(t.slots) {
		t.rehash()
	}
	return id
}

func (t *interner) rehash() {
	t.slots = make([]int32, 4*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for id, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = int32(id) + 1
	}
}

// len returns how many numbers were given out.
func (t *interner) len() int { return len(t.keys) }
