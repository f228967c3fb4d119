// Package registry is the domain core: tools, agents, allow-lists, skills and
// instructions, their strict decoding and canonical form, and the layers and how
// they merge. Subpackages read documents (jsondoc, mdfile), validate foreign
// schemas (schemaguard), and contain the shipped definitions (shipped).
//
// The package does no I/O and does not depend on the rest of toolcrib.
package registry
