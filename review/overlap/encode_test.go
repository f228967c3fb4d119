package overlap

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func index(ids ...int64) *Index {
	x := &Index{}
	for i, id := range ids {
		x.Add(id, Of(text(prose(chance(uint64(i)), 30))))
	}
	return x
}

func stored(t *testing.T, b []byte, x *Index) []byte {
	t.Helper()
	b, err := x.AppendBinary(b)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func idsOf(x *Index) []int64 {
	var ids []int64
	for _, b := range x.blocks {
		for i := range b.len() {
			ids = append(ids, b.id(i))
		}
	}
	return ids
}

func TestIndexRoundTrip(t *testing.T) {
	for _, ids := range [][]int64{nil, {1}, {5, -1, 1 << 62}} {
		x := index(ids...)
		var y Index
		if err := y.Load(stored(t, nil, x)); err != nil {
			t.Fatal(err)
		}
		if got := idsOf(&y); !slices.Equal(got, ids) || !bytes.Equal(stored(t, nil, &y), stored(t, nil, x)) {
			t.Errorf("%v: got %v", ids, got)
		}
	}
}

func TestLoadBlocks(t *testing.T) {
	b := stored(t, nil, index(1, 2))
	b = stored(t, b, index())
	b = stored(t, b, index(3))
	before := slices.Clone(b)
	x := index(9)
	if err := x.Load(b); err != nil {
		t.Fatal(err)
	}
	s := Of("something added later")
	x.Add(10, s)
	x.Add(11, s)
	if got := idsOf(x); x.Len() != 6 || !slices.Equal(got, []int64{9, 1, 2, 3, 10, 11}) {
		t.Errorf("got %v", got)
	}
	if got := x.Scan(s, 1, 9); len(got) != 2 || got[0].ID != 10 || got[1].ID != 11 {
		t.Errorf("got %v", got)
	}
	if !bytes.Equal(b, before) {
		t.Error("adding changed what was loaded")
	}
	var y Index
	if err := y.Load(stored(t, nil, x)); err != nil || !slices.Equal(idsOf(&y), idsOf(x)) {
		t.Errorf("written as one block: got %v, %v", idsOf(&y), err)
	}
}

func TestLoadRefuses(t *testing.T) {
	whole := stored(t, nil, index(1, 2))
	change := func(at int, c byte) []byte {
		b := slices.Clone(whole)
		b[at] = c
		return b
	}
	tests := []struct {
		name string
		b    []byte
		want error
	}{
		{"other version", change(3, Version+1), ErrVersion},
		{"other file", change(0, 'x'), ErrDamaged},
		{"cut", whole[:len(whole)-1], ErrDamaged},
		{"cut head", whole[:5], ErrDamaged},
		{"too many", change(7, 0xff), ErrDamaged},
		{"something behind", append(slices.Clone(whole), 0), ErrDamaged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := index(9)
			if err := x.Load(tt.b); !errors.Is(err, tt.want) || x.Len() != 1 {
				t.Errorf("got %v and %d entries, want %v", err, x.Len(), tt.want)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("ovl\x01\x00\x00\x00\x00"))
	b, _ := index(1, 2).AppendBinary(nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var x Index
		if x.Load(b) != nil {
			return
		}
		var y Index
		if err := y.Load(stored(t, nil, &x)); err != nil || !slices.Equal(idsOf(&x), idsOf(&y)) || !bytes.Equal(stored(t, nil, &x), stored(t, nil, &y)) {
			t.Fatalf("%d entries came back as %d: %v", x.Len(), y.Len(), err)
		}
		y.Scan(Of("a b c"), 0.4, 9)
	})
}
