package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// row is one labelled example. Tool and After are tool definitions in the form
// of the Model Context Protocol, Text is a prompt.
type row struct {
	ID        string                      `json:"id"`
	Category  string                      `json:"category"`
	Transform string                      `json:"transform"`
	Tool      *tool                       `json:"tool"`
	After     *tool                       `json:"after"`
	Text      string                      `json:"text"`
	Source    struct{ Repo, Path string } `json:"source"`
}

// tool is what a server says of a tool.
type tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  *struct {
		Title string `json:"title"`
	} `json:"annotations"`
}

// class is what the row is counted under besides its file.
func (r row) class() string {
	if r.Transform != "" {
		return r.Transform
	}
	return r.Category
}

// group is where the row comes from: the repository and, in a collection of
// servers, the server.
func (r row) group() string {
	_, part, _ := strings.Cut(r.Source.Path, "#")
	if strings.Contains(r.Source.Path, "tools.json") && part != "" {
		return r.Source.Repo + "#" + part
	}
	return r.Source.Repo
}

// load reads the rows of one file; a missing file has none.
func load(dir, name string) ([]row, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}
