package mdfile

import (
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// DecodeDefinition reads a file that holds one definition of the given kind: its
// keys in the front matter, its long texts as sections. The error is a
// jsondoc.Problems with everything of the wrong shape;
// registry.Definition.Problems reports missing content.
func DecodeDefinition(kind registry.Kind, data []byte) (registry.Definition, error) {
	f, err := Parse(data, DefinitionTitles(kind))
	if err != nil {
		return registry.Definition{}, err
	}
	_, ps := Gather(kind, f.Front, jsondoc.Root, f.Sections)
	d, more := registry.BindDefinition(kind, f.Front, jsondoc.Root)
	ps.Append(more...)
	return d, ps.Err()
}
