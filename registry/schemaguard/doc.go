// Package schemaguard makes untrusted JSON Schemas safe to evaluate. A schema can hang
// or crash the process that evaluates it. Examples are schemas with circular
// references, with definitions that double at every level, with file URLs, or with
// regular expressions that need too much time or memory. Check rejects schemas that are
// too large or that recurse without end. It counts subschemas without expanding
// references. Compile checks a schema and passes it to a validator that cannot load
// other documents. Validate limits the work for each value.
//
// The package knows the keywords of the drafts 4, 6, 7, 2019-09, and 2020-12
// (https://json-schema.org/specification). It treats every schema according to the
// union of these drafts, because other programs can interpret a schema according to any
// of these drafts.
package schemaguard
