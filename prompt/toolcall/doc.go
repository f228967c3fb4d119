// Package toolcall parses the JSON call protocol. To call a tool, a model sends a response
// that consists of a single object:
//
//	{"tool":"file_reader","args":{"file_path":"a.md"},"nonce":"k3j9"}
//
// The host generates a nonce for each turn. A call that is quoted in a document does not
// contain this nonce, and is therefore not mistaken for a call by the model. The parser
// tolerates a single code fence around the object, and white space and invisible characters
// at the start and end.
package toolcall
