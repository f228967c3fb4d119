package jsondoc

import (
	"reflect"
	"strings"
)

// Keys returns the JSON keys of a struct, by its json tags, in their order.
func Keys(v any) []string {
	t := reflect.TypeOf(v)
	keys := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
