// Package registry defines the objects that toolcrib governs: tools, agents,
// allow-lists, skills, and instructions. It decodes their definitions strictly
// and computes the canonical form. It also defines layers, which contain the
// definitions, and merges them. Its subpackages read documents (jsondoc,
// mdfile), validate schemas from other parties (schemaguard), and contain the
// shipped definitions (shipped).
//
// The package does no I/O and does not depend on the rest of toolcrib.
package registry
