// Package schemaguard makes untrusted JSON Schemas safe to work with. A schema can
// hang or crash the process that evaluates it: by circular references, definitions
// that double at every level, file addresses, or regular expressions that need
// large programs. Check rejects these by counting, without expanding anything.
// Compile checks a schema and passes it to a validator that cannot load other
// documents, and Validate limits the work for one value.
//
// The keywords are the union of the drafts 4, 6, 7, 2019-09 and 2020-12
// (https://json-schema.org/specification), so that a schema is judged by the most
// that any reader may do with it.
package schemaguard
