package lists

import "testing"

func TestFirst(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for most, want := range map[int]string{1: "a, and 3 more", 3: "a, b, c, and 1 more", 4: "a, b, c, d", 9: "a, b, c, d"} {
		if got := First(names, most); got != want {
			t.Errorf("%d: %q; want %q", most, got, want)
		}
	}
	if names[1] != "b" {
		t.Errorf("the names became %q", names)
	}
}
