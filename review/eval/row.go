package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
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

// half splits the rows in two by where they come from, so that rules tuned on
// one half can be tried on the other.
func (r row) half() int {
	h := fnv.New32a()
	h.Write([]byte(r.Source.Repo))
	return int(h.Sum32() & 1)
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
