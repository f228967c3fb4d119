// Package scan finds turns of phrase in text that may be trying to hide them.
//
// A Grammar is a lexicon (words and phrases that stand for concepts, such as
// "disregard" for override) and a list of frames (patterns over concepts, such
// as an override verb, up to three words, a word for earlier, up to two words,
// a word for instruction). Scan reads a text once, from left to right: it folds
// every character to the letter it is or imitates, cuts the result into words
// and sentences, looks each word up in one hash table, and matches frames
// within a sentence over bit sets of concepts. What may be an encoding of
// another text (base64, escapes, letters spelled apart, invisible bits …) is
// decoded and read the same way, to a bounded depth. Every match points at the
// bytes of the text as it was given.
//
// Why words and not byte patterns: the phrases to be found are many (concepts
// multiply: twenty verbs by thirty nouns by ten qualifiers), come inflected, in
// several languages, with words between them, and disguised letter by letter.
// An Aho-Corasick automaton or one large regular expression over bytes would
// need every combination spelled out or leave gaps and negation to a second
// pass; a look-up per word needs each word once, costs the same whatever the
// number of frames, and is linear in the length of the text by construction:
// windows are bounded, and a sentence never holds more than maxTokens words.
package scan
