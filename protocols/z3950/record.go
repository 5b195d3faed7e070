package z3950

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gofer/internal/ber"
	"gofer/internal/text/charset"
	"gofer/internal/text/marc"
	"gofer/protocols"
	"gofer/urlcore"
)

// syntax is a record syntax (Z39.50-2003, appendix 5).
type syntax struct {
	name  string // in URLs
	oid   string // after syntaxOID
	media string
}

var syntaxes = []syntax{
	{"usmarc", "10", marc.Media},
	{"marc21", "10", marc.Media},
	{"marc", "10", marc.Media}, // in the example of RFC 2056, section 4
	{"unimarc", "1", marc.Media + ";format=unimarc"},
	{"ukmarc", "11", marc.Media + ";format=ukmarc"},
	{"normarc", "12", marc.Media + ";format=normarc"},
	{"danmarc", "14", marc.Media + ";format=danmarc"},
	{"sutrs", "101", "text/plain"},
	{"grs-1", "105", "text/plain"},
	{"grs1", "105", "text/plain"},
	{"xml", "109.10", "text/xml"},
	{"html", "109.3", "text/html"},
	{"pdf", "109.1", "application/pdf"},
	{"gif", "109.5", "image/gif"},
	{"jpeg", "109.6", "image/jpeg"},
	{"png", "109.7", "image/png"},
}

const grs1 = syntaxOID + "105"

// defaultSyntaxes are the identifiers of the syntaxes to ask for. The last one is the choice of the server.
var defaultSyntaxes = []string{syntaxOID + "10", syntaxOID + "101", syntaxOID + "109.10", grs1, syntaxOID + "109.3", ""}

// syntaxesOf returns the identifiers of the record syntaxes in u, which are names or identifiers, or the default ones.
func syntaxesOf(u urlcore.Z3950) (list []string, err error) {
	if u.Syntaxes == "" {
		return defaultSyntaxes, nil
	}
	for _, name := range u.SyntaxNames() {
		id := ""
		if e, ok := ber.Parse([]byte(ber.OID(ber.ObjectID, name))); ok && e.OID() == name {
			id = name
		}
		for _, s := range syntaxes {
			if strings.EqualFold(s.name, name) {
				id = syntaxOID + s.oid
			}
		}
		if id == "" {
			return nil, badURL(fmt.Sprintf("there is no record syntax %q; name marc, unimarc, sutrs, xml, grs-1 or html, or its object identifier", name))
		}
		list = append(list, id)
	}
	return list, nil
}

// kind returns the syntax of r. It has no name if it is not known.
func (r record) kind() syntax {
	for _, s := range syntaxes {
		if syntaxOID+s.oid == r.syntax {
			return s
		}
	}
	return syntax{oid: r.syntax}
}

func (r record) media() string { return r.kind().media }

// body returns the octets of the document. A record of GRS-1 becomes a text, unless it is no tree.
func (r record) body() []byte {
	if tree := r.generic(); r.syntax == grs1 && tree.Constructed {
		var b strings.Builder
		writeTree(&b, tree, 0)
		return []byte(b.String())
	}
	return r.octets
}

// generic returns a record of GRS-1.
func (r record) generic() ber.Element {
	if r.tree.Constructed {
		return r.tree
	}
	tree, _ := ber.Parse(r.octets)
	return tree
}

// summary is what a list shows of a record.
type summary struct {
	title, author, date, id string
	database, syntax        string
	text                    string // the first text of a record that may have no title
	failure                 *diagnostic
}

// summarize returns the summary of r, which shares no memory with the answer.
func (r record) summarize() summary {
	s := summary{database: r.database, failure: r.failure, syntax: cmp.Or(r.kind().name, r.syntax)}
	switch {
	case r.failure != nil:
	case strings.HasPrefix(r.media(), marc.Media):
		if m, err := marc.Parse(r.octets); err == nil {
			s.title, s.author, s.date, s.id = m.Title(), m.Author(), m.Date(), m.ID()
		}
	case r.media() == "text/xml", r.media() == "text/html":
		s.readXML(r.octets[:min(len(r.octets), maxSummary)])
	case r.syntax == grs1:
		s.readTree(r.generic(), "")
	default:
		text := bytes.TrimSpace(r.octets[:min(len(r.octets), maxSummary)])
		line, _, _ := bytes.Cut(text, []byte("\n"))
		s.title = string(bytes.TrimSpace(line))
	}
	s.title = cmp.Or(s.title, s.text)
	return s
}

func (r record) title() string { return r.summarize().title }

// maxSummary is the number of octets at the start of a record in which its title is looked for.
const maxSummary = 64 << 10

// note takes the value of an element with a name of Dublin Core, MARC or GRS-1, or of a similar one.
func (s *summary) note(name, value string) {
	value = strings.TrimSpace(value)
	if name != "leader" && name != "controlfield" {
		s.text = cmp.Or(s.text, value)
	}
	var to *string
	switch strings.ToLower(name) {
	case "title", "245a":
		to = &s.title
	case "creator", "author", "100a":
		to = &s.author
	case "date", "260c", "264c":
		to = &s.date
	case controlNumber, "001":
		to = &s.id
	default:
		return
	}
	*to = cmp.Or(*to, strings.TrimRight(value, " /:;,."))
}

// readXML notes the elements of XML and HTML.
func (s *summary) readXML(octets []byte) {
	if !bytes.HasPrefix(octets, []byte("<?xml")) {
		octets = []byte(charset.ToUTF8(string(octets), ""))
	}
	d := xml.NewDecoder(bytes.NewReader(octets))
	d.Strict = false
	d.CharsetReader = func(name string, r io.Reader) (io.Reader, error) { return charset.NewReader(r, name), nil }
	var name, field string
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			name = t.Name.Local
			if tag := attributeOf(t, "tag"); tag != "" {
				field = tag
			}
			if name == "subfield" {
				name = field + attributeOf(t, "code")
			} else if name == "controlfield" {
				name = field
			}
		case xml.CharData:
			s.note(name, string(t))
		case xml.EndElement:
			name = ""
		}
	}
}

// readTree notes the elements of a GenericRecord. Its MARC fields have a tag and subfields.
func (s *summary) readTree(record ber.Element, parent string) {
	for e := range record.Children() {
		name, content := tagOf(e), e.Find(4).First()
		switch {
		case content.Tag == grsSubtree:
			s.readTree(content.First(), name)
		case strings.Trim(parent, "0123456789") == "":
			s.note(parent+name, valueOf(content))
		default:
			s.note(name, valueOf(content))
		}
	}
}

func attributeOf(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

const controlNumber = "local control number"

// The names of the tags of the sets M and G of GRS-1 (Z39.50-2003, appendix 12).
var grsNames = map[[2]int]string{
	{1, 10}: "rank", {1, 12}: "url", {1, 14}: controlNumber, {1, 15}: "created", {1, 16}: "changed", {1, 18}: "score", {1, 19}: "text",
	{2, 1}: "title", {2, 2}: "author", {2, 3}: "place", {2, 4}: "date", {2, 5}: "document id", {2, 6}: "abstract", {2, 7}: "name", {2, 8}: "date and time",
	{2, 9}: "display", {2, 10}: "organization", {2, 11}: "postal address", {2, 12}: "network address", {2, 13}: "mail", {2, 14}: "phone", {2, 15}: "fax",
	{2, 16}: "country", {2, 17}: "description", {2, 18}: "time", {2, 19}: "content", {2, 20}: "language", {2, 21}: "subject",
}

// tagOf returns the name of the tag of a TaggedElement, or else its type and number.
func tagOf(e ber.Element) string {
	kind := 3 // the default: a text
	if t := e.Find(1); t.Exists() {
		kind = t.Number()
	}
	value := e.Find(2).First()
	if value.Tag == 1 || value.Tag == ber.General || value.Tag == ber.Visible {
		return value.Text()
	}
	return cmp.Or(grsNames[[2]int{kind, value.Number()}], fmt.Sprintf("(%d,%d)", kind, value.Number()))
}

// writeTree writes a GenericRecord as a text, with an indented line for each element. The indent of other lines does not grow with
// the depth, because a record can consist of line ends.
func writeTree(b *strings.Builder, record ber.Element, depth int) {
	for e := range record.Children() {
		content := e.Find(4).First()
		b.WriteString(strings.Repeat("  ", depth) + tagOf(e) + ":")
		if content.Tag == grsSubtree {
			b.WriteString("\n")
			writeTree(b, content.First(), depth+1)
			continue
		}
		text := strings.TrimRight(valueOf(content), "\r\n")
		if strings.Contains(text, "\n") {
			text = "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
		} else {
			text = " " + text
		}
		b.WriteString(text + "\n")
	}
}

// Parts of an ElementData.
const (
	grsNotThere    = 2
	grsEmpty       = 3
	grsNoData      = 4
	grsDiagnostic  = 5
	grsSubtree     = 6
	tagGeneralTime = ber.Universal + 24
)

// valueOf returns the data of an element as a text.
func valueOf(content ber.Element) string {
	switch content.Tag {
	case ber.Integer:
		return strconv.Itoa(content.Number())
	case ber.Boolean:
		return strconv.FormatBool(content.Number() != 0)
	case ber.ObjectID:
		return content.OID()
	case ber.Octets, ber.General, ber.Visible, tagGeneralTime:
		return content.Text()
	case grsNotThere, grsEmpty:
		return ""
	case grsNoData:
		return "(not sent)"
	case grsDiagnostic:
		return "(" + readDiagnostic(content.Find(0).First(), asSent).sentence() + ")"
	case ber.External:
		return "(" + protocols.Octets(len(content.Find(1).Octets())).Format() + " of data)"
	case ber.Missing:
		return ""
	}
	return "(data that gofer does not show)"
}
