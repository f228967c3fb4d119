package serve

// Route is a route as tests compare it.
type Route struct {
	Method, Pattern string
	Query           []string
	Open            bool
}

// Routes lists what a server serves.
func Routes() []Route {
	var all []Route
	for _, r := range (&Server{}).table() {
		all = append(all, Route{r.method, r.pattern, r.query, r.open})
	}
	return all
}
