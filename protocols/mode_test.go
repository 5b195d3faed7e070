package protocols

import "testing"

func TestParseMode(t *testing.T) {
	for _, tt := range []struct {
		mode, old string
		dir       bool
		want      uint32
		err       error
	}{
		{"0755", "", false, 0o755, nil},
		{"4711", "", false, 0o4711, nil},
		{"0", "", false, 0, nil},
		{"u+x,go-w", "rw-rw-rw-", false, 0o744, nil},
		{"+x", "rw-r--r--", false, 0o755, nil},
		{"+w", "r--r--r--", false, 0o644, nil},
		{"a+w", "r--r--r--", false, 0o666, nil},
		{"u=rw,g=,o-rwx", "rwxr-xr-x", false, 0o600, nil},
		{"=r", "rwsr-sr-t", false, 0o444, nil},
		{"u=rx+w", "---------", false, 0o700, nil},
		{"a+X", "rw-r--r--", false, 0o644, nil},
		{"a+X", "rw-r--r--", true, 0o755, nil},
		{"g+X", "rwxr--r--", false, 0o754, nil},
		{"ug+s,+t", "rwxr-xr-x", false, 0o7755, nil},
		{"u-s,o-t", "rwSr-xr-T", false, 0o654, nil},
		{"u+x", "", false, 0, errOldMode},
		{"u+x", "unknown??", false, 0, errOldMode},
		{"", "rwxr-xr-x", false, 0, ErrMode},
		{"8", "rwxr-xr-x", false, 0, ErrMode},
		{"17777", "rwxr-xr-x", false, 0, ErrMode},
		{"z+x", "rwxr-xr-x", false, 0, ErrMode},
		{"u+z", "rwxr-xr-x", false, 0, ErrMode},
		{"u+x,", "rwxr-xr-x", false, 0, ErrMode},
	} {
		if got, err := ParseMode(tt.mode, tt.old, tt.dir); got != tt.want || err != tt.err {
			t.Errorf("ParseMode(%q, %q, %v) = %o, %v; want %o, %v", tt.mode, tt.old, tt.dir, got, err, tt.want, tt.err)
		}
	}
}
