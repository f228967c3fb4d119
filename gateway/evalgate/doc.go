// Package evalgate queries an external eval gate, which decides whether a call may run. The gate is a program or an
// HTTP server. Both types of gates receive requests and return responses in the same JSON format.
package evalgate
