package mdfile

import (
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// EncodeDefinition writes d in the format of DecodeDefinition. It returns ErrFormat
// if d is empty.
func EncodeDefinition(d registry.Definition) ([]byte, error) {
	text := d.Canonical()
	if text == nil {
		text = []byte("null")
	}
	doc, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	sections := ExtractSections(d.Kind(), doc)
	return Format(File{Front: doc, Sections: sections}, DefinitionTitles(d.Kind()))
}
