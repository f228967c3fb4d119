package settings

import (
	"reflect"
	"slices"
)

// Names lists the settings and tables of a toolcrib.toml, in the order of their names.
func Names() []string {
	var names []string
	of := reflect.TypeFor[Config]()
	for i := range of.NumField() {
		if name := of.Field(i).Tag.Get("toml"); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
