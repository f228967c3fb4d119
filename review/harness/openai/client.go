// This file sends requests to an endpoint with the interface of OpenAI.

package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"toolcrib/review/harness"
)

// Client is a harness.Model at an endpoint. It is safe for concurrent use.
type Client struct {
	config  Config
	address *url.URL
	client  *http.Client
}

var _ harness.Model = (*Client)(nil)

// New returns a client for the endpoint and the model in c. It does not send a request. The error wraps ErrConfig.
func New(c Config) (*Client, error) {
	address, err := c.check()
	if err != nil {
		return nil, err
	}
	transport := c.Transport
	if transport == nil {
		transport = &http.Transport{ForceAttemptHTTP2: true}
	}
	return &Client{config: c, address: address.JoinPath("chat/completions"), client: &http.Client{
		Transport: transport,
		// Redirects are not followed, because the key and the texts are only for this endpoint.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// request contains the fields that toolcrib sets in a chat completion request.
type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// completion contains the fields that toolcrib reads from a response.
type completion struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
}

// Answer returns the model's answer to input, with prompt as the system message. The error is safe to display. It
// wraps harness.ErrNotConnected if the endpoint cannot be reached. If ctx is done, the error is ctx.Err.
func (c *Client) Answer(ctx context.Context, prompt, input string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	question := request{Model: c.config.Model}
	if prompt != "" {
		question.Messages = append(question.Messages, message{Role: "system", Content: prompt})
	}
	question.Messages = append(question.Messages, message{Role: "user", Content: input})
	body, err := json.Marshal(question)
	if err != nil {
		return "", err
	}
	status, answer, err := c.post(limited, body)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("no answer within %v", c.config.Timeout)
	case err != nil:
		return "", c.unreached(err)
	case status != http.StatusOK:
		return "", c.refused(status, answer)
	}
	var said completion
	if json.Unmarshal(answer, &said) != nil || len(said.Choices) == 0 {
		return "", errNoCompletion
	}
	choice := said.Choices[0]
	text := cmp.Or(choice.Message.Content, choice.Message.Refusal) // a refusal is treated as an answer
	switch {
	case choice.FinishReason == "length":
		return "", errors.New("the answer was cut off at the length limit of the model")
	case choice.FinishReason == "content_filter":
		return "", errors.New("the endpoint withheld the answer")
	case text == "":
		return "", errors.New("the answer has no text")
	case len(text) > c.config.MaxAnswer:
		return "", errTooLarge
	}
	return text, nil
}

// post sends body and returns the last response. It repeats the request after temporary failures. If the response is
// truncated, post returns the available part.
func (c *Client) post(ctx context.Context, body []byte) (status int, answer []byte, err error) {
	for attempt := 0; ; attempt++ {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.String(), bytes.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json")
		r.Header.Set("User-Agent", "toolcrib")
		if c.config.APIKey != "" {
			r.Header.Set("Authorization", "Bearer "+c.config.APIKey)
		}
		response, err := c.client.Do(r)
		wait, again := c.pause(attempt, response)
		if !again || !sleep(ctx, wait) {
			if err != nil {
				return 0, nil, err
			}
			defer func() { _ = response.Body.Close() }()
			// JSON can encode one byte of the answer as six bytes. The constant is for the rest of the document.
			answer, err = io.ReadAll(http.MaxBytesReader(nil, response.Body, 6*int64(c.config.MaxAnswer)+64<<10))
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				return 0, nil, errTooLarge
			}
			return response.StatusCode, answer, nil
		}
		if response != nil {
			_ = response.Body.Close()
		}
	}
}
