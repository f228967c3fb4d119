package process

import "github.com/mattn/go-shellwords"

// Words splits a line into the words that a shell reads from it. An empty quoted word is
// kept: without it, the next word would take its place. Nothing is expanded or run, and
// the operators of a shell are ordinary characters: there is no shell that could act on them.
func Words(line string) ([]string, error) {
	p := shellwords.NewParser()
	p.ParseEnv, p.ParseBacktick = false, false
	p.SetExcludeSeparators([]rune(";&|<>()`")...)
	return p.Parse(line)
}
