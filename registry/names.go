package registry

import "slices"

// OtherNames returns the names beside its id by which a definition is found, called, or
// runs: aliases, its name in prompts and exports, and that of its provider.
func (d Definition) OtherNames() []string {
	t := d.Tool
	if t == nil {
		return nil
	}
	names := append(slices.Clone(t.Aliases), t.WireName(), t.OriginName())
	if t.Provider != nil {
		names = append(names, t.Provider.Name)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || name == t.ID })
}
