package builtin

// Terms and EntityTerms let benchmarks fill a store without a call for each.
func Terms(texts ...string) []string { return textTerms(texts...) }

// EntityTerms are what an entity is found by.
func EntityTerms(name string) []string { return entityTerms(name) }
