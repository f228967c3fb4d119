// Package schemaguard makes a JSON Schema from outside safe to work with. A
// schema is data that can hang or kill the process that reads it: references
// that lead back to themselves, definitions that double at every step,
// addresses of files, regular expressions as large programs. Check refuses
// those by counting, without ever expanding anything. Compile checks, then
// hands the schema to a validator that can load nothing, and Validate bounds
// the work that one value can cause.
//
// The keywords are those of the drafts 4, 6, 7, 2019-09 and 2020-12
// (https://json-schema.org/specification) taken together, so that a schema is
// judged by the most that any reader would make of it.
package schemaguard
