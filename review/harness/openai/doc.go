// Package openai is a client for models with an OpenAI-compatible endpoint, which most providers and local servers
// offer. It uses POST {base}/chat/completions, as described in https://platform.openai.com/docs/api-reference/chat.
//
// Config contains all settings; the package reads no environment variables. It uses net/http, because the official
// client would add about 18 MB to the binary for a single request.
package openai
