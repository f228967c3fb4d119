package proposals

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"toolcrib/registry/jsondoc"
)

// What is read at most.
const (
	MaxFile      = 32 << 20 // bytes of one text
	MaxDocument  = 8 << 20  // bytes of one proposal
	MaxDocuments = 10_000   // proposals of one text
)

// limits bound one proposal.
var limits = jsondoc.Limits{Bytes: MaxDocument, Depth: jsondoc.DefaultLimits.Depth}

// byteOrderMark stands in front of the UTF-8 of some editors.
var byteOrderMark = []byte("\ufeff")

// DecodeFile reads the proposals of a file: Markdown when it begins with front
// matter or its name ends in .md or .markdown, else JSON in any of the forms
// that DecodeJSON takes. The name may be "", or "-" for standard input.
//
// The error is a *DecodeError that names the file; like DecodeJSON, DecodeFile
// then returns what could be read.
func DecodeFile(name string, data []byte) ([]Parsed, error) {
	decode := DecodeJSON
	if isMarkdown(name, data) {
		decode = decodeMarkdowns
	}
	parsed, err := decode(data)
	var bad *DecodeError
	if errors.As(err, &bad) {
		bad.File = name
	}
	return parsed, err
}

// decodeMarkdowns reads the one proposal that a Markdown file holds.
func decodeMarkdowns(data []byte) ([]Parsed, error) {
	p, err := DecodeMarkdown(data)
	if p.Doc == nil {
		return nil, err
	}
	return []Parsed{p}, err
}

func isMarkdown(name string, data []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown":
		return true
	}
	return bytes.HasPrefix(bytes.TrimPrefix(data, byteOrderMark), []byte("---"))
}

func checkSize(data []byte, limit int) error {
	if len(data) > limit {
		return textError("has %d bytes; at most %d are read", len(data), limit)
	}
	return nil
}
