package pages

import "bytes"

// Kind is what a value of a record is.
type Kind byte

// The kinds in the order in which the engine sorts them.
const (
	Null Kind = iota
	Integer
	Text
	Blob
	Real
)

// Value is one value of a record, its bytes as they are stored.
type Value struct {
	Type uint64 // the serial type
	Body []byte
}

// Record is a row or an entry, as its values
// (https://www.sqlite.org/fileformat2.html#record_format). It points into the
// payload it was parsed from.
type Record struct{ Values []Value }

// Parse reads a payload. The record is used again for the next one.
func (r *Record) Parse(payload []byte) error {
	r.Values = r.Values[:0]
	size, n := varint(payload)
	if n == 0 || size < uint64(n) || size > uint64(len(payload)) {
		return unsound("a record has no header")
	}
	head, body := payload[n:size], payload[size:]
	for len(head) > 0 {
		t, n := uint64(head[0]), 1
		if t >= 0x80 {
			if t, n = varint(head); n == 0 {
				return unsound("the header of a record ends within a type")
			}
		}
		width := bodySize(t)
		if width > uint64(len(body)) {
			return unsound("a record ends within a value")
		}
		r.Values = append(r.Values, Value{t, body[:width:width]})
		head, body = head[n:], body[width:]
	}
	if len(body) > 0 {
		return unsound("a record has %d bytes behind its last value", len(body))
	}
	return nil
}

// bodySize returns the bytes of a value by its serial type. Types 10 and 11 are
// never in a file.
func bodySize(t uint64) uint64 {
	if t >= 12 {
		return (t - 12) / 2
	}
	return [12]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, maxPayload + 1, maxPayload + 1}[t]
}

// Kind returns what a value is.
func (v Value) Kind() Kind {
	switch {
	case v.Type >= 12 && v.Type%2 == 1:
		return Text
	case v.Type >= 12:
		return Blob
	case v.Type == 0:
		return Null
	case v.Type == 7:
		return Real
	}
	return Integer
}

// Int returns a whole number.
func (v Value) Int() int64 {
	if v.Type == 9 {
		return 1
	}
	var n int64
	for i, b := range v.Body {
		if i == 0 {
			n = int64(int8(b))
			continue
		}
		n = n<<8 | int64(b)
	}
	return n
}

// Compare orders records as an index without collations or DESC does, and says
// in how many of the first values they are the same. Reals are not compared.
func Compare(a, b *Record) (order, same int, err error) {
	for i := range min(len(a.Values), len(b.Values)) {
		order, err := compare(a.Values[i], b.Values[i])
		if order != 0 || err != nil {
			return order, i, err
		}
	}
	return len(a.Values) - len(b.Values), min(len(a.Values), len(b.Values)), nil
}

func compare(a, b Value) (int, error) {
	ka, kb := a.Kind(), b.Kind()
	switch {
	case ka == Real || kb == Real:
		return 0, unsound("an index holds a real number")
	case ka != kb:
		return int(ka) - int(kb), nil
	case ka == Integer:
		x, y := a.Int(), b.Int()
		switch {
		case x < y:
			return -1, nil
		case x > y:
			return 1, nil
		}
		return 0, nil
	}
	return bytes.Compare(a.Body, b.Body), nil
}

// AppendInt appends a whole number as the engine stores it: its serial type to
// head, its bytes to body.
func AppendInt(head, body []byte, n int64) (newHead, newBody []byte) {
	if n == 0 || n == 1 {
		return append(head, byte(8+n)), body
	}
	for t, width := range [...]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8} {
		if width == 0 || width < 8 && (n < -1<<(8*width-1) || n > 1<<(8*width-1)-1) {
			continue
		}
		for shift := 8 * (width - 1); shift >= 0; shift -= 8 {
			body = append(body, byte(n>>shift))
		}
		return append(head, byte(t)), body
	}
	return head, body
}
