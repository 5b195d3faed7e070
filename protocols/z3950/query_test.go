package z3950

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/ber"
	"gofer/internal/testbed/fetchtest"
)

// TestQueries checks which words are sent for a search that finds nothing, in their order.
func TestQueries(t *testing.T) {
	for path, want := range map[string][]string{
		"title=whale":                    {"whale"},
		"whale":                          {"whale", "whale"}, // without the attribute that means all fields
		"title=mis%C3%A9rables":          {"mis\xc3\xa9rables", "mis\xe9rables", "mis\xe2erables"},
		"title=%C5%82%C3%B3d%C5%BA":      {"\xc5\x82\xc3\xb3d\xc5\xba", "\xb1\xe2od\xe2z"}, // Latin-1 lacks letters of "łódź"
		"title=%D0%B2%D0%BE%D0%B9%D0%BD": {"\xd0\xb2\xd0\xbe\xd0\xb9\xd0\xbd"},
		"title=%E9":                      {"\xe9"},                      // not UTF-8: as typed
		"title=%E1%BB%87":                {"\xe1\xbb\x87", "\xf2\xe3e"}, // two diacritics
	} {
		var got []string
		addr := startAnswering(t, func(request ber.Element) string {
			got = append(got, request.Find(tagQuery, 1, 0, tagOperand, tagTerm).Text())
			return searchReply(0)
		})
		fetchtest.Contains(t, fetchText(t, fetchtest.Parse(t, "z39.50s://"+addr+"/db;search="+path)), "No record matches.", path)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the words %q, want %q", path, got, want)
		}
	}
}

func TestRefusedURLs(t *testing.T) {
	for u, want := range map[string]string{
		"z39.50:Default": "a Z39.50 URL is z39.50s://host/database",
		"z39.50s://h/db;search=title=" + strings.Repeat("x", maxTerm+1): "the words for a field have at most 1000 octets",
		"z39.50s://h/db;search=" + strings.Repeat("x%20", maxTerms+1):   "a search has at most 20 words",
		"z39.50s://h/db;search=name=x":                                  `there is no field "name"`,
		"z39.50s://h/db;scan=title=a&isbn=b":                            "an index has one field",
		"z39.50r://h/db?1;rs=word":                                      `there is no record syntax "word"`,
		"z39.50r://h/db?1;rs=.":                                         `there is no record syntax "."`,
		"z39.50r://h/db?1;rs=1..2":                                      `there is no record syntax "1..2"`,
		"z39.50r://h/db?1;rs=9.9":                                       `there is no record syntax "9.9"`,
		"z39.50r://h/db?1;rs=1.2." + strings.Repeat("9", 25):            `there is no record syntax "1.2.999`,
	} {
		fetchtest.Contains(t, fetchText(t, fetchtest.Parse(t, u)), want, u)
	}
}
