// Package wire reads and writes the definitions of tools as other programs
// have them: the tools/list of an MCP server
// (modelcontextprotocol.io/specification/2025-11-25/server/tools), the tool
// arrays of OpenAI (platform.openai.com/docs/guides/function-calling) and
// Anthropic (docs.anthropic.com/en/docs/agents-and-tools/tool-use), v0 prompt
// files, lists of names, and toolcrib's own export.
//
// A typed round trip would invent and lose keys, so the bytes of every tool are
// kept unchanged, and its hash is that of the whole JSON, unknown keys included.
package wire
