// Package evalgate asks an eval gate whether a call may run. The gate is a program
// or an HTTP address; request and response are the same JSON for both.
package evalgate
