package jsondoc

// Locate fills in the positions that are not known yet from the document that
// the problems are about. A path that the document lacks takes the position of
// the nearest value around it.
func (ps Problems) Locate(doc *Node) Problems {
	if doc == nil {
		return ps
	}
	for i := range ps {
		if ps[i].Pos == (Pos{}) {
			around, _ := doc.nearest(ps[i].Path)
			ps[i].Pos = around.Pos
		}
	}
	return ps
}
