package urlcore

import "testing"

func TestReadableHost(t *testing.T) {
	for _, tt := range []struct {
		host, want string
		mixed      bool
	}{
		{"a.example", "a.example", false},
		{"xn--gmeaux-bva.example", "gémeaux.example", false},
		{"www.xn--fa-hia.a_b", "www.faß.a_b", false},
		{"xn--r8jz45g.jp", "例え.jp", false},
		{"xn--e1aybc.xn--p1ai", "тест.рф", false},
		{"xn--80ak6aa92e.com", "аррӏе.com", true},
		{"xn--pple-43d.example", "аpple.example", true},
		{"xn--a.example", "xn--a.example", false},
		{"xn--abc.example", "xn--abc.example", false},
	} {
		if got, mixed := ReadableHost(tt.host); got != tt.want || mixed != tt.mixed {
			t.Errorf("ReadableHost(%q) = %q, %v; want %q, %v", tt.host, got, mixed, tt.want, tt.mixed)
		}
	}
}
