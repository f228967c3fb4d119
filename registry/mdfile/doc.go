// Package mdfile reads and writes definitions and proposals as Markdown files:
// YAML front matter for keys, and one section per long text.
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
// The front matter becomes a jsondoc tree with the places of the file, so that
// what reads JSON strictly reads this as strictly. Only what JSON can say is
// taken: anchors, aliases, merge keys, tags and duplicate keys are refused.
//
// A heading counts only when the caller knows its title; every other line that
// looks like one is text. A line of text that would be taken for such a heading
// is written with a backslash in front, and one backslash is taken away again
// on reading, so any text survives the way out and back.
package mdfile
