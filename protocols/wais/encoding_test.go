package wais

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		hit  Hit
		want string
	}{
		{
			Hit{Score: 0, Size: 5, Lines: 0, Date: parseDay("940312"), Types: []string{"TEXT", "PS"}, Source: "s", City: "c"},
			"score=0 types=[TEXT PS] lines=0 size=5 date=1994-03-12 source=s city=c",
		},
		{Hit{Score: -1, Size: 5, Lines: -1, Date: parseDay("x")}, "score=<nil> types=[] lines=<nil> size=5 date= source= city="},
		{Hit{Score: 1, Size: 5, Lines: 1, Date: parseDay("19940312")}, "score=1 types=[] lines=1 size=5 date=1994-03-12 source= city="},
	} {
		var got []string
		for _, a := range tt.hit.Attributes() {
			got = append(got, fmt.Sprintf("%s=%v", a.Name, a.Value))
		}
		fetchtest.Equal(t, strings.Join(got, " "), tt.want)
	}
}

func TestDocumentID(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "opaque": "opaque", "3=a;": "\x03\x01a", "3=a": "\x03\x01a", "12/3=a;": "\x03\x01a", "x/3=a;": "x/3=a;",
		"3=a;b": "3=a;b", "3=a;;4=b": "3=a;;4=b",
		"268435456=a": "268435456=a", "268435455=a": "\xff\xff\xff\x7f\x01a", "+3=a": "+3=a", "3=%41": "\x03\x01A",
		"3=%4": "\x03\x02%4", "3=%4z": "\x03\x03%4z", "3=a%25;": "\x03\x02a%",
	} {
		if got, ok := documentID(path); got != want || ok != (want != "") {
			t.Errorf("documentID(%q) = %q, %v, want %q", path, got, ok, want)
		}
	}
}

func TestReadInit(t *testing.T) {
	for fields, want := range map[string]int64{
		"": 0, "\x05\x01\x28\x06\x01\x14": 20, "\x05\x01\x14\x06\x01\x28": 20, "\x05\x01\x00\x06\x01\x28": 40,
		"\x07\x01\x01\x06\x01\x28": 40, "\x05\x01\x00": 0,
	} {
		apdu := append([]byte{0, byte(2 + len(fields)), pduInitResponse, 1}, fields...)
		if accepted, size, err := readInit(apdu); !accepted || size != want || err != nil {
			t.Errorf("readInit with the fields %q = %v, %d, %v, want true, %d", fields, accepted, size, err, want)
		}
	}
}
