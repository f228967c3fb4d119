package scan

// The hash of a word is FNV-1a over its folded bytes: it can be carried along
// while a word is read, so that a look-up costs no second look at the letters.
const (
	hashSeed  uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

func hash(s string) uint64 { return hashMore(hashSeed, s) }

func hashMore(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// table maps hashes of words to their numbers, which are not 0: open
// addressing with linear probing, at most half full.
type table struct {
	slots []slot
	used  int
	// seen has a bit for 16 bits of each hash: most words of a text are in no
	// lexicon, and this tells without a look at the slots.
	seen [1 << 16 / 64]uint64
}

type slot struct {
	hash uint64
	id   uint32
}

func (t *table) get(h uint64) uint32 {
	if b := h >> 48; t.seen[b>>6]&(1<<(b&63)) == 0 {
		return 0
	}
	mask := uint64(len(t.slots) - 1)
	for i := mix(h) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.hash == h || s.id == 0 {
			return s.id
		}
	}
}

func (t *table) put(h uint64, id uint32) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]slot, max(1<<14, 2*len(old)))
		t.used = 0
		for _, s := range old {
			if s.id != 0 {
				t.put(s.hash, s.id)
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	i := mix(h) & mask
	for t.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = slot{h, id}
	t.used++
	b := h >> 48
	t.seen[b>>6] |= 1 << (b & 63)
}

// mix brings the high bits of a hash, where FNV-1a is best, into the low ones.
func mix(h uint64) uint64 { return h ^ h>>29 }
