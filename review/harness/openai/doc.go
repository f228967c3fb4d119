// Package openai is a client for models behind an OpenAI-compatible endpoint, which most providers and local servers
// offer: POST {base}/chat/completions, as in https://platform.openai.com/docs/api-reference/chat.
//
// All settings come from Config; environment variables are not read. The client uses net/http, because the official
// client would add about 18 MB to the binary for a single request.
package openai
