// Package audit says whether a database is sound in every respect that
// verification looks at, by reading each page of its file once
// (toolcrib/store/pages): the pages hang together and each has one use, indexes
// say what their tables say, rows keep the constraints of the schema, seals and
// chains hold, and the queue and the registry are what the records say. It only
// answers yes or no: what a no is about, the engine is asked, which names it.
// What it can not tell for certain it does not call sound.
package audit
