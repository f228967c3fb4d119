package openai

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   string // "" if the configuration is valid
	}{
		{"local", Config{BaseURL: "http://localhost:11434/v1", Model: "m"}, ""},
		{"local with a key", Config{BaseURL: "http://127.0.0.1:8000/v1", Model: "m", APIKey: "k"}, ""},
		{"private with a key", Config{BaseURL: "http://192.168.1.7/v1", Model: "m", APIKey: "k"}, ""},
		{"six", Config{BaseURL: "http://[::1]:8000/v1", Model: "m", APIKey: "k"}, ""},
		{"remote", Config{BaseURL: "https://api.openai.com/v1", Model: "m", APIKey: "k"}, ""},
		{"remote in the clear without a key", Config{BaseURL: "http://models.example.org/v1", Model: "m"}, ""},
		{"nothing", Config{}, "its address is missing"},
		{"no model", Config{BaseURL: "http://localhost/v1"}, "its name is missing"},
		{"no address", Config{BaseURL: "localhost:11434", Model: "m"}, "expected an http or https address"},
		{"other address", Config{BaseURL: "file:///etc/passwd", Model: "m"}, "expected an http or https address"},
		{"broken address", Config{BaseURL: "http://a\x1b[31m/", Model: "m"}, "expected an http or https address"},
		{"user", Config{BaseURL: "https://a:b@example.org/v1", Model: "m"}, "without a user"},
		{"query", Config{BaseURL: "https://example.org/v1?key=k", Model: "m"}, "without a user"},
		{"key in the clear", Config{BaseURL: "http://models.example.org/v1", Model: "m", APIKey: "k"}, `unencrypted to "models.example.org"`},
		{"key of two lines", Config{BaseURL: "https://example.org/v1", Model: "m", APIKey: "k\nX: y"}, "the API key contains"},
		{"many retries", Config{BaseURL: "http://localhost/v1", Model: "m", Retries: 99}, "retries between 0 and 5"},
		{"negative time", Config{BaseURL: "http://localhost/v1", Model: "m", Timeout: -time.Second}, "above 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := New(tt.config)
			switch {
			case tt.want == "" && (err != nil || c == nil):
				t.Errorf("got %v", err)
			case tt.want != "" && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
