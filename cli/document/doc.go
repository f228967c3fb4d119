// Package document has the JSON documents for scripts that several families of commands
// print, each made from what the desk or the gateway answers. Fields are added, never
// renamed.
package document
