// Package mdfile reads and writes definitions and proposals as Markdown files. The
// front matter contains the keys in YAML, and each long text is a separate section.
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
// The front matter becomes a jsondoc tree with positions in the file and is checked
// as strictly as JSON. It can contain only what JSON can represent. Anchors,
// aliases, merge keys, tags, and duplicate keys are rejected.
//
// A heading starts a section only if the caller knows its title. All other headings are
// text. If a line of text looks like a known heading, a backslash is written before the
// line and removed when the file is read. Every text is therefore read back unchanged.
package mdfile
