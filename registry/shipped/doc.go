// Package shipped contains the definitions that come with toolcrib: sixteen core
// tools, twenty-three tools of the assistant, the agents assistant and author, the
// named allow-lists, the retired names, and the vocabulary of names.
//
// The definitions are embedded and parsed on first use. The embedded hashes suffice
// to check the core, so opening a database parses none of them. The definitions are
// shared; do not change them.
package shipped
