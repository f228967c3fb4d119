// Package scan finds phrases in text, including text that tries to disguise them.
//
// A Grammar consists of a lexicon, which maps words and phrases to concepts (such as "disregard" to
// override), and of frames, which are patterns over concepts (such as an override verb, up to three
// words, a word for earlier, up to two words, a word for instruction). Scan reads a text once, from
// left to right. It folds every character to the plain letter that the character is or imitates,
// splits the result into words and sentences, looks up each word in a hash table, and matches
// frames within a sentence over bit sets of concepts. Passages that may be an encoding of another
// text (base64, escapes, spaced letters, invisible bits, ...) are decoded and scanned in the same
// way, up to a fixed depth. The positions of a match always refer to the original text.
//
// Frames match words rather than bytes because the phrases to detect are numerous (twenty verbs
// times thirty nouns times ten qualifiers), inflected, in several languages, interrupted by other
// words, and disguised letter by letter. An Aho-Corasick automaton or a large regular expression
// over bytes would have to list every combination, or leave gaps and negation to a second pass. A
// lookup per word needs each word only once, costs the same for any number of frames, and is linear
// in the length of the text, because windows are bounded and a sentence never has more than
// maxTokens words.
package scan
