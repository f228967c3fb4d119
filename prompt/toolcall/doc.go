// Package toolcall reads the JSON call protocol: a model that wants a tool run
// answers with exactly one object
//
//	{"tool":"file_reader","args":{"file_path":"a.md"},"nonce":"k3j9"}
//
// and nothing beside it. The host gave out the nonce for this turn; it
// keeps a call that was planted in a document from passing for the model's.
// It tolerates habits of models that mean nothing: one code
// fence around the object, and white space and invisible characters at the
// edges.
package toolcall
