package wais

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

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

// TestReadInfo reads records and diagnostics. It checks that a missing value is unknown.
func TestReadInfo(t *testing.T) {
	types := string(appendField(appendField(appendField(nil, tagType, "A"), tagType, ""), tagCity, "x")) +
		strings.Repeat("\x81\x05\x01B", 2*maxTypes)
	all := appendField(appendNumber(appendNumber(appendNumber(nil, tagScore, 1000), tagLength, 0), tagLines, 7), tagTypes, types)
	for tag, value := range map[int]string{tagDocumentID: "id", tagSource: "src", tagDate: "940312", tagHeadline: "head", tagCity: "city"} {
		all = appendField(all, tag, value)
	}
	a := readInfo(slices.Concat(
		appendField(nil, groupShort, string(all)), appendField(nil, groupLong, "\x7b\x01h"), appendField(nil, groupHeadline, "\x76\x01\x05"),
		[]byte("\x1c\x00\x03SF\x00"), []byte("\x1c\x00\x05SHno\x01\x1d"), appendField(nil, groupText, "\x7f\x01a"), appendField(nil, groupText, "\x7f\x01b"),
		[]byte("\x1c\x00\x03S1\x00"),
	))
	fetchtest.Equal(t, fmt.Sprintf("%q %+q %v", a.text, a.diagnostics, a.err), `"ab" [{"SF" ""} {"SH" "no"} {"S1" ""}] <nil>`)
	want := record{id: "id", score: 1000, size: 0, lines: 7, source: "src", date: "940312", headline: "head", city: "city"}
	if len(a.records) != 2 || len(a.records[0].types) != maxTypes || a.records[0].types[0] != "A" || a.records[0].types[1] != "B" {
		t.Fatalf("readInfo returns the records %+v, want two, and %d types A, B, B, ... in the first", a.records, maxTypes)
	}
	a.records[0].types = nil
	for i, want := range []record{want, {score: -1, size: -1, lines: -1, headline: "h"}} {
		if got := fmt.Sprintf("%+v", a.records[i]); got != fmt.Sprintf("%+v", want) {
			t.Errorf("record %d is %s, want %+v", i, got, want)
		}
	}
}

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
