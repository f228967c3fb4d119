package mdfile

import (
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// EncodeDefinition writes d as DecodeDefinition reads it. It returns ErrFormat
// when d holds nothing.
func EncodeDefinition(d registry.Definition) ([]byte, error) {
	text := d.Canonical()
	if text == nil {
		text = []byte("null")
	}
	doc, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	sections := Spread(d.Kind(), doc)
	return Format(File{Front: doc, Sections: sections}, DefinitionTitles(d.Kind()))
}
