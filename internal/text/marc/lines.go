package marc

import (
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// names are the names of frequent fields of MARC 21.
var names = map[string]string{
	"001": "Control number", "003": "Control number of", "005": "Changed", "008": "Codes", "010": "LC number", "020": "ISBN", "022": "ISSN",
	"035": "System number", "040": "Cataloged by", "041": "Language", "050": "LC class", "082": "Dewey class", "100": "Author",
	"110": "Author (body)", "111": "Author (meeting)", "130": "Uniform title", "240": "Uniform title", "245": "Title", "246": "Other title",
	"250": "Edition", "260": "Published", "264": "Published", "300": "Extent", "362": "Issues", "490": "Series", "500": "Note",
	"502": "Thesis", "504": "Bibliography", "505": "Contents", "520": "Summary", "546": "Language", "600": "Subject (person)",
	"610": "Subject (body)", "611": "Subject (meeting)", "630": "Subject (title)", "648": "Subject (time)", "650": "Subject",
	"651": "Subject (place)", "653": "Keyword", "655": "Genre", "700": "Other author", "710": "Other author", "711": "Other author",
	"730": "Other title", "740": "Other title", "773": "In", "780": "Earlier title", "785": "Later title", "830": "Series", "852": "Location",
	"856": "Link", "880": "Other script",
}

const nameWidth = 18

// Lines returns the fields of the record, by name if they are those of MARC 21, and else by tag. The URLs of
// a field 856 are links.
func (r *Record) Lines(named bool) (lines []protocols.Line) {
	for _, f := range r.Fields {
		name := names[f.Tag]
		if name == "" || !named {
			name = "Field " + f.Tag
		}
		links := f.cutLinks()
		text := f.text("")
		if strings.HasPrefix(name, "Subject") {
			text = strings.ReplaceAll(f.format(), " $", " -- ")
		}
		first := protocols.Line{Text: text}
		if len(links) > 0 && text == "" {
			first, links = links[0], links[1:]
		}
		first.Text, first.Note = name+strings.Repeat(" ", max(nameWidth-len(name), 1))+first.Text, &protocols.Hypertext{Hang: nameWidth}
		lines = append(append(lines, first), links...)
	}
	if r.Damaged {
		lines = append(lines, protocols.Line{Kind: protocols.Failure, Text: "The record is damaged: fields may be missing."})
	}
	if r.Undecoded {
		lines = append(lines, protocols.Line{Kind: protocols.Failure, Text: "Characters of a set that gofer does not know, such as the East Asian one, are shown as \ufffd."})
	}
	return lines
}

// cutLinks removes the URLs from a field 856 and returns a line for each.
func (f *Field) cutLinks() (links []protocols.Line) {
	if f.Tag != "856" {
		return nil
	}
	var others []Subfield
	for _, s := range f.Subfields {
		if u, err := urlcore.Parse(strings.TrimSpace(s.Text)); s.Code == "u" && err == nil {
			links = append(links, protocols.Line{Kind: protocols.KindOf(u), Text: s.Text, Link: u})
			continue
		}
		others = append(others, s)
	}
	f.Subfields = others
	return links
}

// format returns the subfields, with a heading and its subdivisions (v, x, y and z) apart.
func (f *Field) format() string {
	var b strings.Builder
	for i, s := range f.Subfields {
		switch s.Code {
		case "0", "1", "2", "9": // a number, a source or a link, and no words
			continue
		case "v", "x", "y", "z":
			b.WriteString(" $")
		default:
			if i > 0 {
				b.WriteString(" ")
			}
		}
		b.WriteString(s.Text)
	}
	return b.String()
}
