// Package mdfile reads and writes definitions and proposals as Markdown files: YAML
// front matter for keys, and one section for each long text.
//
//	---
//	id: scene_pacer
//	kind: prompt
//	---
//
//	## Goals
//
//	Name the scenes that drag.
//
// The front matter becomes a jsondoc tree with positions in the file, so that it is
// checked as strictly as JSON. It may only contain what JSON can represent:
// anchors, aliases, merge keys, tags and duplicate keys are rejected.
//
// A heading starts a section only if the caller knows its title; all other headings
// are text. If a line of text would be read as such a heading, it is written with a
// backslash in front, which is removed on reading. So every text is read as it was
// written.
package mdfile
