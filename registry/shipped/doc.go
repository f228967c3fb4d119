// Package shipped holds the definitions that come with toolcrib: the sixteen
// core tools, the twenty-three tools of the assistant, the agents assistant and
// author, the named allow-lists, the names that were retired, and the words that names
// are made of.
//
// The texts are embedded and parsed when they are first asked for. Whether the
// core is untouched can be told from its hashes alone, which are embedded too,
// so opening a database parses none of it. Nobody changes a definition that
// was handed out: it is shared.
package shipped
