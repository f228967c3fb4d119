// Package registry is the domain core: tools and agents, their strict decoding and
// canonical form, the layers and how they merge, the locked core tools, and the
// allow-lists. Its subpackages read documents (jsondoc, mdfile), validate foreign
// schemas (schemaguard), and contain the shipped definitions (shipped).
//
// It imports nothing else of toolcrib but jsondoc, does no I/O and knows no
// storage.
package registry
