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
			if seen[suffix] || suffix != strings.ToLower(suffix) || len(suffix) > len("gophermap") {
				t.Errorf("suffix %q occurs twice, is not in lower case or is longer than the longest", suffix)
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

// TestSuffixOf checks the suffixes of media types as mails name them.
func TestSuffixOf(t *testing.T) {
	for media, want := range map[string]string{
		"text/plain": ".txt", "text/html; charset=utf-8": ".html", "IMAGE/JPEG": ".jpg", "image/jpg": ".jpg",
		"image/pjpeg": ".jpg", "image/x-png": ".png",
		"image/x-pcx": ".pcx", "image/x-unknown": "", "audio/wav": ".wav", "audio/x-mpeg": ".mp3", "application/octet-stream": ".bin",
		"application/x-octet-stream": ".bin", "application/x-gzip": ".gz", "application/x-zip-compressed": ".zip", "application/msword": ".doc",
		"application/vnd.ms-excel": ".xls", "message/rfc822": ".eml", "text/x-vcard": ".vcf", "text/calendar": ".ics",
		"": "", "image/": "", "a/b": "",
	} {
		if got := SuffixOf(media); got != want {
			t.Errorf("SuffixOf(%q) = %q, want %q", media, got, want)
		}
	}
}
