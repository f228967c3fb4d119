// Package guard relays the messages between an MCP client and one MCP server, so
// that the client is listed and calls only tools that the user approved. Every
// other message passes byte for byte, except that line breaks between its tokens become
// spaces and those inside its strings become escapes. A message is read for what the guard
// needs (the id, the method, the name of a tool, the tools of a list) and never encoded
// again: a relay that decodes drops members it does not know, rounds ids above 2^53,
// and ends at the first line that is no message.
//
// One strict parser (parse.go) defines what a message is. What it refuses is withheld,
// and what it accepts is written as exactly one line, so that no reader understands
// another message, or more of them, than the guard did.
package guard
