// Package wire reads and writes tool definitions in the formats of other programs: the
// responses to tools/list of MCP servers
// (modelcontextprotocol.io/specification/2025-11-25/server/tools), the tool arrays of
// OpenAI (platform.openai.com/docs/guides/function-calling) and Anthropic
// (docs.anthropic.com/en/docs/agents-and-tools/tool-use), v0 prompt files, and lists of
// names. It also reads exports of toolcrib.
//
// A conversion to Go types and back would add and lose keys. The package therefore does
// not change the bytes of a tool. The hash of a tool covers its whole JSON, including
// unknown keys.
package wire
