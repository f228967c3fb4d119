// Package guard relays the messages between an MCP client and one MCP server, so
// that the client is listed and calls only tools that the user approved. Every
// other message passes byte for byte. A message is scanned for what the guard needs
// (the id, the method, the name of a tool, the tools of a list) and never encoded
// again: a relay that decodes drops members it does not know, rounds ids above 2^53,
// and ends at the first line that is no message.
package guard
