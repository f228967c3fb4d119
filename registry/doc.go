// Package registry is the core of the domain. It defines tools, agents,
// allow-lists, skills, and instructions, decodes them strictly, and computes
// their canonical form. It also defines layers and merges them. Its subpackages
// read documents (jsondoc, mdfile), validate schemas from other parties
// (schemaguard), and contain the shipped definitions (shipped).
//
// The package does no I/O and does not depend on the rest of toolcrib.
package registry
