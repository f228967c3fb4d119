package rules

import (
	"encoding/json"
	"strings"
)

// example makes an Example of a text: a sentence, which is put into the
// description of a tool that has nothing to do with it; a whole action tool as
// "name :: description :: parameter=description :: …", with a default after
// " || "; or a prompt after
// "prompt :: ".
func example(text string) Example {
	parts := strings.Split(text, " :: ")
	switch {
	case len(parts) == 1:
		parts = []string{"opening_hours", "Shows the opening hours of a shop. " + text}
	case parts[0] == "prompt":
		d := sample()
		d.Definition.Tool.Prompt += "\n\n" + parts[1]
		return Example{Show: parts[1], Draft: d}
	}
	d := action(parts[0])
	tool := d.Definition.Tool
	tool.Name, tool.Description = parts[0], parts[1]
	properties := map[string]map[string]string{}
	for _, p := range parts[2:] {
		name, says, _ := strings.Cut(p, "=")
		says, value, fixed := strings.Cut(says, " || ")
		properties[name] = map[string]string{"type": "string", "description": says}
		if fixed {
			properties[name]["default"] = value
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		panic(err) // strings marshal
	}
	tool.InputSchema = schema
	return Example{Show: text, Draft: d}
}
