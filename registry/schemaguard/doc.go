// Package schemaguard makes untrusted JSON Schemas safe to evaluate. A schema can
// hang or crash the process that evaluates it. It can do so by circular
// references, by definitions that double at every level, by file URLs, or by
// regular expressions that need too much time or memory. Check rejects such
// schemas by counting, without expanding any reference. Compile checks a schema
// and passes it to a validator that cannot load other documents. Validate limits
// the work for one value.
//
// The package knows the keywords of the drafts 4, 6, 7, 2019-09, and 2020-12
// (https://json-schema.org/specification). It treats every schema according to the
// union of these drafts, because another program can interpret the schema
// according to any of them.
package schemaguard
