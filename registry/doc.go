// Package registry is the domain core: what a tool and an agent are, how they
// are read strictly and written canonically, which layers hold them and how the
// layers merge, which tools are core and locked, and which tools an agent is
// allowed. Its subpackages read documents (jsondoc,
// mdfile), judge schemas from outside (schemaguard) and hold what is shipped
// (shipped).
//
// It imports nothing else of toolcrib but jsondoc, does no I/O and knows no
// storage.
package registry
