// Package shipped contains the definitions that come with toolcrib: sixteen core
// tools, twenty-three tools of the assistant, the agents assistant and author, the
// named allow-lists, the retired names, and the vocabulary of names.
//
// The definitions are embedded, and parsed when they are first used. Opening a
// database parses none of them, because the embedded hashes suffice to check the
// core tools. The definitions are shared; do not modify them.
package shipped
