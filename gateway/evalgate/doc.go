// Package evalgate asks an external gate whether a call may run. The gate is a program or an HTTP server. Requests and
// responses have the same JSON format for both.
package evalgate
