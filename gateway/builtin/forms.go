package builtin

// Weights of words that are found in another form.
const (
	otherForm = 0.6
	sameStem  = 0.3
)

// fit rates how well a word is found among others.
func fit(word string, among []string) float64 {
	best := 0.0
	for _, w := range among {
		if w == word {
			return 1
		}
		best = max(best, forms(word, w))
	}
	return best
}

// forms rates how likely two words are forms of one: they begin alike, and what
// follows is short.
func forms(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	switch rest := max(len(x), len(y)) - same; {
	case same == min(len(x), len(y)) && same >= shortStemLength && rest <= shortWord-shortStemLength:
		return otherForm
	case same < stemLength:
		return 0
	case rest <= 3:
		return otherForm
	}
	return sameStem
}
