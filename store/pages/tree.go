package pages

// maxDepth bounds the levels of a tree, as the engine does.
const maxDepth = 20

// Tree is the b-tree of a table or an index, of which the interior pages were
// read. Its leaves are read by runs.
type Tree struct {
	file   *File
	table  bool // rows by number, not entries
	leaves []leaf
}

// leaf is the page of a leaf and what separates it from the next one: the
// greatest number a row of it may have, or the entry between them.
type leaf struct {
	page  uint32
	bound bool // false for the last
	rowid int64
	entry []byte
}

// Table reads the interior pages of the tree of a table with rowids.
func (f *File) Table(root uint32) (*Tree, error) { return f.tree(root, true) }

// Index reads those of an index, or of a table without rowids.
func (f *File) Index(root uint32) (*Tree, error) { return f.tree(root, false) }

func (f *File) tree(root uint32, table bool) (*Tree, error) {
	t := &Tree{file: f, table: table}
	depth, err := t.depth(root)
	if err != nil {
		return nil, err
	}
	d := descent{t: t, r: f.NewReader()}
	if err := d.down(root, depth); err != nil {
		return nil, err
	}
	return t, nil
}

// depth counts the interior pages from the root down to the first leaf; all
// leaves of a sound tree are as deep.
func (t *Tree) depth(root uint32) (int, error) {
	b := make([]byte, t.file.pageSize)
	for depth, page := 0, root; depth < maxDepth; depth++ {
		if err := t.file.read(page, b); err != nil {
			return 0, err
		}
		n, err := parseNode(t.file, page, b)
		if err != nil {
			return 0, err
		}
		if n.kind == tableLeaf || n.kind == indexLeaf {
			return depth, nil
		}
		page = n.rightmost()
		if n.cells > 0 {
			at, err := n.cell(0)
			if err != nil {
				return 0, err
			}
			c, err := t.file.parseCell(&n, at)
			if err != nil {
				return 0, err
			}
			page = c.child
		}
	}
	return 0, unsound("the tree of page %d is too deep", root)
}

// descent reads the interior pages of a tree from left to right.
type descent struct {
	t *Tree
	r *Reader
}

func (d *descent) down(page uint32, depth int) error {
	if depth == 0 {
		if len(d.t.leaves) == int(d.t.file.count) {
			return unsound("a tree has more leaves than the file has pages")
		}
		d.t.leaves = append(d.t.leaves, leaf{page: page})
		return nil
	}
	f := d.t.file
	if err := f.claim(page); err != nil {
		return err
	}
	b := make([]byte, f.pageSize)
	if err := f.read(page, b); err != nil {
		return err
	}
	n, err := parseNode(f, page, b)
	if err != nil {
		return err
	}
	want := byte(indexInterior)
	if d.t.table {
		want = tableInterior
	}
	if n.kind != want {
		return unsound("page %d is not of the sort its tree has", page)
	}
	if err := d.children(&n, depth); err != nil {
		return err
	}
	return d.down(n.rightmost(), depth-1)
}

// children goes down to all children but the last, and keeps what separates
// them.
func (d *descent) children(n *node, depth int) error {
	var c cover
	c.begin(n)
	for i := range n.cells {
		at, err := n.cell(i)
		if err != nil {
			return err
		}
		child, err := d.t.file.parseCell(n, at)
		if err != nil {
			return err
		}
		if !c.mark(at, child.size) {
			return unsound("cells of page %d lie over each other", n.page)
		}
		if err := d.down(child.child, depth-1); err != nil {
			return err
		}
		last := &d.t.leaves[len(d.t.leaves)-1]
		last.bound, last.rowid = true, child.rowid
		if !d.t.table {
			entry, err := d.r.payload(&child)
			if err != nil {
				return err
			}
			last.entry = append([]byte{}, entry...)
		}
	}
	return c.settle(n)
}

// Run is leaves of a tree that follow each other.
type Run struct {
	tree   *Tree
	leaves []leaf
	before *leaf // the one before them, nil for the first run
}

// runLeaves is how many leaves a run has: enough to be worth handing over, few
// enough to stay in the cache of a processor.
const runLeaves = 32

// Runs cuts the leaves of a tree into runs.
func (t *Tree) Runs() []Run {
	var runs []Run
	for from := 0; from < len(t.leaves); from += runLeaves {
		r := Run{tree: t, leaves: t.leaves[from:min(from+runLeaves, len(t.leaves))]}
		if from > 0 {
			r.before = &t.leaves[from-1]
		}
		runs = append(runs, r)
	}
	return runs
}
