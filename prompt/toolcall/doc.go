// Package toolcall parses the JSON call protocol. To call a tool, a model answers
// with exactly one object
//
//	{"tool":"file_reader","args":{"file_path":"a.md"},"nonce":"k3j9"}
//
// and nothing else. The host generates a nonce for each turn, so that a call that is
// quoted in a document is not mistaken for a call by the model. The parser tolerates a
// single code fence around the object, and white space and invisible characters at the
// start and end.
package toolcall
