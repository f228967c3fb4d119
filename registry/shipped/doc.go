// Package shipped contains the definitions that come with toolcrib: sixteen core
// tools, twenty-three tools of the assistant, the agents assistant and author, the
// named allow-lists, the retired names, and the vocabulary of names.
//
// The definitions are embedded in the program and parsed when they are first used. To
// open a database, toolcrib does not parse them, because it can check the core tools
// against embedded hashes. The definitions are shared; do not modify them.
package shipped
