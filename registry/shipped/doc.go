// Package shipped holds the definitions that come with toolcrib: the sixteen
// core tools, the twenty-three tools of the assistant, the agents assistant and
// author, the named allow-lists, the names that were retired, and the words that names
// are made of.
//
// The texts are embedded and parsed on first use. The embedded hashes suffice to
// check the core, so opening a database parses none of it. The definitions are
// shared; do not change them.
package shipped
