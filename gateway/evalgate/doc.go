// Package evalgate asks an eval gate whether a call may run. The gate is a program or an HTTP address. Request and
// response have the same JSON form for both.
package evalgate
