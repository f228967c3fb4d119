package commonmark

import "testing"

func TestFence(t *testing.T) {
	for line, want := range map[string]string{
		"```": "```", "```go\n": "```", "   ~~~~ `a`": "~~~~", "``": "", "~~": "", "    ```": "", "``` a`b": "", "a ```": "", "\t```": "", "": "",
	} {
		if got := Fence(line); got != want {
			t.Errorf("%q opens %q, not %q", line, got, want)
		}
	}
}

func TestCloses(t *testing.T) {
	for _, tt := range []struct {
		line, fence string
		want        bool
	}{
		{"```\n", "```", true},
		{"  ````  \r\n", "```", true},
		{"```", "````", false},
		{"~~~", "```", false},
		{"``` go", "```", false},
		{"    ```", "```", false},
		{"", "```", false},
	} {
		if got := Closes(tt.line, tt.fence); got != tt.want {
			t.Errorf("%q closes %q: %v", tt.line, tt.fence, got)
		}
	}
}

func TestHeadingLevel(t *testing.T) {
	for line, want := range map[string]int{
		"# a": 1, "###### a\n": 6, "#\n": 1, "##": 2, "   ## a": 2, "####### a": 0, "#a": 0, "    # a": 0, "a # b": 0, "": 0,
	} {
		if got := HeadingLevel(line); got != want {
			t.Errorf("%q has level %d, not %d", line, got, want)
		}
	}
}
