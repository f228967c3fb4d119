package builtin

// Terms and EntityTerms let benchmarks fill a store directly.
func Terms(texts ...string) []string { return textTerms(texts...) }

// EntityTerms returns the search terms of an entity.
func EntityTerms(name string) []string { return entityTerms(name) }
