// This file generates texts for a generated database.

package storetest

import (
	"math/rand/v2"
	"strings"
)

// vocabulary is a list of meaningless words. Texts generated from it are as dissimilar
// as texts by different people.
type vocabulary []string

func newVocabulary() vocabulary {
	syllables := strings.Fields("ba ke li mo nu ra se ti vo zu dal fen gor hil jun kas lem nor pil quo rit sul tam ver wix")
	random := rand.New(rand.NewPCG(7, 11))
	words := make(vocabulary, 4000)
	for i := range words {
		var b strings.Builder
		for range 2 + random.IntN(3) {
			b.WriteString(syllables[random.IntN(len(syllables))])
		}
		words[i] = b.String()
	}
	return words
}

// text returns the nth generated text with the given number of words.
func (v vocabulary) text(n, words int) string {
	random := rand.New(rand.NewPCG(uint64(n), 13)) //nolint:gosec // n counts from 0
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v[random.IntN(len(v))])
	}
	return b.String() + "."
}
