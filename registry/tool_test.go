package registry_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/registry"
)

// TestApprovalEffective covers every tier with every override.
func TestApprovalEffective(t *testing.T) {
	const (
		auto  = registry.AutoApprove
		ask   = registry.RequiresApproval
		users = registry.UserConfigurable
	)
	tests := []struct {
		approval *registry.Approval
		// The results without an override, and with auto_approve,
		// requires_approval, user_configurable and an unknown tier.
		want [5]registry.ApprovalTier
	}{
		{nil, [5]registry.ApprovalTier{ask, ask, ask, ask, ask}},
		{&registry.Approval{}, [5]registry.ApprovalTier{ask, ask, ask, ask, ask}},
		{&registry.Approval{Tier: auto}, [5]registry.ApprovalTier{auto, auto, ask, auto, auto}},
		{&registry.Approval{Tier: auto, Default: ask}, [5]registry.ApprovalTier{auto, auto, ask, auto, auto}},
		{&registry.Approval{Tier: ask}, [5]registry.ApprovalTier{ask, ask, ask, ask, ask}},
		{&registry.Approval{Tier: ask, Default: auto}, [5]registry.ApprovalTier{ask, ask, ask, ask, ask}},
		{&registry.Approval{Tier: users, Default: auto}, [5]registry.ApprovalTier{auto, auto, ask, auto, auto}},
		{&registry.Approval{Tier: users, Default: ask}, [5]registry.ApprovalTier{ask, auto, ask, ask, ask}},
		{&registry.Approval{Tier: users}, [5]registry.ApprovalTier{ask, auto, ask, ask, ask}},
		{&registry.Approval{Tier: "sometimes", Default: auto}, [5]registry.ApprovalTier{ask, ask, ask, ask, ask}},
	}
	for _, tt := range tests {
		for i, override := range []registry.ApprovalTier{"", auto, ask, users, "nonsense"} {
			if got := tt.approval.Effective(override); got != tt.want[i] {
				t.Errorf("%+v with override %q: %s, want %s", tt.approval, override, got, tt.want[i])
			}
		}
	}
}

func TestShort(t *testing.T) {
	long := strings.Repeat("harbour ", 20)
	family := "👨\u200d👩\u200d👧\u200d👦" // 7 characters, seen as one
	tests := []struct {
		name, short, long, want string
	}{
		{"given", "Tides.", "Returns the tides. And more.", "Tides."},
		{"nothing", "", "", ""},
		{"first sentence", "", " Returns the tides. And more.", "Returns the tides."},
		{"question", "", "Which tide? The high one.", "Which tide?"},
		{"abbreviation", "", "Returns tides, e.g. the high one. And more.", "Returns tides, e.g. the high one."},
		{"version", "", "Speaks v1.2 of it. And more.", "Speaks v1.2 of it."},
		{"first line", "", "Returns the tides\r\nof a harbour", "Returns the tides"},
		{"no spaces", "", "返回潮汐。更多。", "返回潮汐。"},
		{"cut at a word", "", long, strings.TrimRight(long[:96], " ") + "…"},
		{"given and too long", long, "", strings.TrimRight(long[:96], " ") + "…"},
		{"the word just fits", "", strings.Repeat("a", 90) + " bcdefghi jk", strings.Repeat("a", 90) + " bcdefghi…"},
		{"the word does not fit", "", strings.Repeat("a", 90) + " bcdefghij k", strings.Repeat("a", 90) + "…"},
		{"one long word", "", strings.Repeat("é", 200), strings.Repeat("é", 99) + "…"},
		{"exactly as long as may be", "", strings.Repeat("é", 100), strings.Repeat("é", 100)},
		{"families are not torn apart", "", strings.Repeat(family, 20), strings.Repeat(family, 14) + "…"},
		{"one endless character", "", "a" + strings.Repeat("\u0301", 200), "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := registry.Tool{ShortDescription: tt.short, Description: tt.long}.Short()
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzShort(f *testing.F) {
	f.Add("", "Returns the tides. And more.")
	f.Add("x", strings.Repeat("👨\u200d👩\u200d👧 e\u0301, ", 40))
	f.Add(strings.Repeat("a\xff", 80), "")
	f.Fuzz(func(t *testing.T, short, long string) {
		got := registry.Tool{ShortDescription: short, Description: long}.Short()
		if n := utf8.RuneCountInString(got); n > registry.MaxShortDescription {
			t.Fatalf("the result has %d characters: %q", n, got)
		}
		if utf8.ValidString(short) && utf8.ValidString(long) && !utf8.ValidString(got) {
			t.Fatalf("cut inside a character: %q", got)
		}
	})
}
