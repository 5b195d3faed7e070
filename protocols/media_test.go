package protocols

import (
	"strings"
	"testing"
)

// TestMediaTypes checks that each suffix in mediaTypes is in lower case, occurs once and selects its row.
func TestMediaTypes(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range mediaTypes {
		for suffix := range strings.FieldsSeq(row.suffixes) {
			if seen[suffix] || suffix != strings.ToLower(suffix) || len(suffix) > 8 {
				t.Errorf("suffix %q occurs twice, is not in lower case or is longer than 8 octets", suffix)
			}
			seen[suffix] = true
			want := row.media
			if strings.HasSuffix(want, "-") {
				want += suffix
			}
			for _, name := range []string{"a." + suffix, "a.b." + strings.ToUpper(suffix)} {
				if media, kind := BySuffix(name); media != want || kind != row.kind {
					t.Errorf("BySuffix(%q) = %q, %s; want %q, %s", name, media, kind, want, row.kind)
				}
			}
		}
	}
	for name := range strings.FieldsSeq(textFiles) {
		if media, kind := BySuffix(name); media != "text/plain" || kind != Text {
			t.Errorf("BySuffix(%q) = %q, %s; want text/plain, text", name, media, kind)
		}
	}
}
