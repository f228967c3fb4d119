// Package scan finds phrases in text, even if the text disguises them.
//
// A Grammar consists of a lexicon and frames. The lexicon maps words and phrases to concepts, such
// as "disregard" to override. A frame is a pattern over concepts, such as an override verb, up to
// three words, a word for earlier, up to two words, and a word for instruction. Scan reads a text
// once, from left to right. It folds every character to the plain letter that the character is or
// imitates, splits the result into words and sentences, and looks up each word in a hash table. It
// then matches the frames within each sentence over bit sets of concepts. Passages that may encode
// another text (base64, escapes, spaced letters, invisible bits, ...) are decoded and scanned in
// the same way, up to a fixed depth. The position of a match always refers to the original text.
//
// Frames match words rather than bytes, because the phrases to detect are numerous (twenty verbs
// times thirty nouns times ten qualifiers). The phrases are also inflected, written in several
// languages, interrupted by other words, and disguised letter by letter. An Aho-Corasick automaton
// or a large regular expression over bytes would have to list every combination, or would need a
// second pass for gaps and negation. Scan looks up each word only once, at a cost that does not
// depend on the number of frames. The time is linear in the length of the text, because windows are
// bounded and a sentence never has more than maxTokens words.
package scan
