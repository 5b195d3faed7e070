package demo

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
)

// Z3950Server is a Z39.50 server on a free port of 127.0.0.1 with the database "books". Its methods are safe for concurrent use.
type Z3950Server struct {
	server
	books []Book

	// Guarded by mu:
	user, password string
}

// z3950Largest is the size of the largest request, in octets.
const z3950Largest = 64 << 10

// StartZ3950 starts a server of books; Close stops it.
func StartZ3950(books []Book) (*Z3950Server, error) {
	s := &Z3950Server{books: books}
	return s, s.start(s.serve)
}

// URL returns the session URL of a database and the text after it. It has the port also in a World with a host, where the default port is
// that of the WAIS server.
func (s *Z3950Server) URL(database string) string { return "z39.50s://" + s.Addr() + "/" + database }

// RequireLogin makes the server refuse sessions without this login.
func (s *Z3950Server) RequireLogin(user, password string) {
	s.mu.Lock()
	s.user, s.password = user, password
	s.mu.Unlock()
}

func (s *Z3950Server) login() (user, password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user, s.password
}

func (s *Z3950Server) serve(c net.Conn) {
	in := bufio.NewReader(c)
	results := map[string][]Book{}
	for {
		_ = c.SetReadDeadline(time.Now().Add(waisIdle))
		request, err := ber.ReadPacket(io.LimitReader(in, z3950Largest))
		if err != nil {
			return
		}
		var reply *ber.Packet
		switch request.Tag {
		case 20:
			reply = s.welcome(request)
		case 22:
			reply = s.search(request, results)
		case 24:
			reply = s.present(request, results)
		case 35:
			reply = s.scan(request)
		default:
			reply = berElement(ber.ClassContext, 48, berNumber(211, 6))
		}
		_ = c.SetWriteDeadline(time.Now().Add(gopherIdle))
		if _, err := c.Write(reply.Bytes()); err != nil {
			return
		}
	}
}

func berElement(class ber.Class, tag ber.Tag, parts ...*ber.Packet) *ber.Packet {
	p := ber.Encode(class, ber.TypeConstructed, tag, nil, "")
	for _, part := range parts {
		p.AppendChild(part)
	}
	return p
}

func berText(tag ber.Tag, text string) *ber.Packet {
	return ber.NewString(ber.ClassContext, ber.TypePrimitive, tag, text, "")
}

func berNumber(tag ber.Tag, n int) *ber.Packet {
	return ber.NewInteger(ber.ClassContext, ber.TypePrimitive, tag, int64(n), "")
}

func berOID(dotted string) *ber.Packet {
	return ber.NewOID(ber.ClassUniversal, ber.TypePrimitive, ber.TagObjectIdentifier, dotted, "")
}

// berFind returns the element with the context tags, each in the one before, or an empty element.
func berFind(p *ber.Packet, tags ...ber.Tag) *ber.Packet {
	for _, tag := range tags {
		i := slices.IndexFunc(p.Children, func(c *ber.Packet) bool { return c.ClassType == ber.ClassContext && c.Tag == tag })
		if i < 0 {
			return berText(0, "")
		}
		p = p.Children[i]
	}
	return p
}

func berInt(p *ber.Packet) int {
	n, _ := ber.ParseInt64(p.Data.Bytes())
	return int(n)
}

// berDiagnostic returns a diagnostic of the set bib-1 in an element with the tag.
func berDiagnostic(p *ber.Packet, condition int, text string) *ber.Packet {
	for _, part := range []*ber.Packet{
		berOID("1.2.840.10003.4.1"), ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, int64(condition), ""),
		ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagVisibleString, text, ""),
	} {
		p.AppendChild(part)
	}
	return p
}

func (s *Z3950Server) welcome(request *ber.Packet) *ber.Packet {
	user, password := s.login()
	accepted := "\xff"
	if user != "" {
		id := berFind(request, 7)
		if len(id.Children) == 0 || berFind(id.Children[0], 1).Data.String() != user || berFind(id.Children[0], 2).Data.String() != password {
			accepted = "\x00"
		}
	}
	reply := berElement(ber.ClassContext, 21, berText(3, "\x05\xe0"), berText(4, "\x01\xc1\x02"), berNumber(5, 1<<20), berNumber(6, 1<<20), berText(12, accepted),
		berText(111, "Gofer demonstration"), berText(112, "1"))
	if accepted == "\x00" {
		reply.AppendChild(berElement(ber.ClassContext, 11, berElement(ber.ClassUniversal, ber.TagExternal, berElement(ber.ClassContext, 0, berDiagnostic(berElement(ber.ClassUniversal, ber.TagSequence), 1011, "a login of the library is needed")))))
	}
	return reply
}

func (s *Z3950Server) search(request *ber.Packet, results map[string][]Book) *ber.Packet {
	fail := func(condition int, text string) *ber.Packet {
		return berElement(ber.ClassContext, 23, berNumber(23, 0), berNumber(24, 0), berNumber(25, 0), berText(22, "\x00"), berDiagnostic(berElement(ber.ClassContext, 130), condition, text))
	}
	for _, name := range berFind(request, 18).Children {
		if name.Data.String() != "books" {
			return fail(235, name.Data.String())
		}
	}
	query := berFind(request, 21, 1)
	if len(query.Children) < 2 {
		return fail(108, "")
	}
	found, unknown := s.evaluate(query.Children[1])
	if unknown > 0 {
		return fail(114, strconv.Itoa(unknown))
	}
	if len(results) < 10 {
		results[berFind(request, 17).Data.String()] = found
	}
	return berElement(ber.ClassContext, 23, berNumber(23, len(found)), berNumber(24, 0), berNumber(25, 1), berText(22, "\xff"))
}

// evaluate returns the books that match an RPNStructure, or a Use attribute that is not known.
func (s *Z3950Server) evaluate(rpn *ber.Packet) (found []Book, unknown int) {
	if rpn.Tag == 1 && len(rpn.Children) > 2 {
		left, bad := s.evaluate(rpn.Children[0])
		right, alsoBad := s.evaluate(rpn.Children[1])
		operators := rpn.Children[2].Children // one of: and, or
		isOr := len(operators) > 0 && operators[0].Tag == 1
		for _, b := range s.books {
			if l, r := slices.Contains(left, b), slices.Contains(right, b); l && r || isOr && (l || r) {
				found = append(found, b)
			}
		}
		return found, max(bad, alsoBad)
	}
	use, term := z3950Operand(berFind(rpn, 102))
	if _, known := (Book{}).value(use); !known {
		return nil, use
	}
	for _, b := range s.books {
		if b.matches(use, term) {
			found = append(found, b)
		}
	}
	return found, 0
}

// z3950Operand returns the Use attribute and the term of an AttributesPlusTerm.
func z3950Operand(operand *ber.Packet) (use int, term string) {
	for _, a := range berFind(operand, 44).Children {
		if berInt(berFind(a, 120)) == 1 {
			use = berInt(berFind(a, 121))
		}
	}
	return use, berFind(operand, 45).Data.String()
}

func (s *Z3950Server) present(request *ber.Packet, results map[string][]Book) *ber.Packet {
	fail := func(condition int) *ber.Packet {
		return berElement(ber.ClassContext, 25, berNumber(24, 0), berNumber(25, 0), berNumber(27, 5), berDiagnostic(berElement(ber.ClassContext, 130), condition, ""))
	}
	books, ok := results[berFind(request, 31).Data.String()]
	start, n := berInt(berFind(request, 30)), berInt(berFind(request, 29))
	switch {
	case !ok:
		return fail(30)
	case start < 1 || n < 1 || start+n-1 > len(books):
		return fail(13)
	}
	syntax := "1.2.840.10003.5.10"
	if oid := berFind(request, 104); oid.Data.Len() > 0 {
		dotted := ber.DecodePacket(append([]byte{6, byte(oid.Data.Len())}, oid.Data.Bytes()...))
		syntax, _ = dotted.Value.(string)
	}
	list := berElement(ber.ClassContext, 28)
	for _, b := range books[start-1 : start-1+n] {
		content := b.z3950Record(syntax)
		if content == nil {
			return fail(239)
		}
		list.AppendChild(berElement(ber.ClassUniversal, ber.TagSequence, berText(0, "books"), berElement(ber.ClassContext, 1, berElement(ber.ClassContext, 1, berElement(ber.ClassUniversal, ber.TagExternal, berOID(syntax), content)))))
	}
	return berElement(ber.ClassContext, 25, berNumber(24, n), berNumber(25, start+n), berNumber(27, 0), list)
}

// z3950Record returns the encoding of the book in a record syntax, or nil.
func (b Book) z3950Record(syntax string) *ber.Packet {
	general := func(text string) *ber.Packet {
		return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagGeneralString, text, "")
	}
	switch strings.TrimPrefix(syntax, "1.2.840.10003.5.") {
	case "10":
		return berText(1, string(b.MARC()))
	case "101":
		return berElement(ber.ClassContext, 0, general(b.Title+"\n"+b.Author+". "+b.Place+", "+b.Date+".\n"))
	case "109.10":
		return berText(1, "<?xml version=\"1.0\"?>\n<book><title>"+b.Title+"</title><creator>"+b.Author+"</creator><date>"+b.Date+"</date></book>\n")
	case "109.3":
		return berText(1, "<!doctype html><title>"+b.Title+"</title><h1>"+b.Title+"</h1><p>"+b.Author+"\n")
	case "105":
		tag := func(number int, content *ber.Packet) *ber.Packet {
			return berElement(ber.ClassUniversal, ber.TagSequence, berNumber(1, 2), berElement(ber.ClassContext, 2, berNumber(2, number)), berElement(ber.ClassContext, 4, content))
		}
		part := berElement(ber.ClassUniversal, ber.TagSequence, tag(3, general(b.Place)), tag(4, general(b.Date)))
		return berElement(ber.ClassContext, 0, berElement(ber.ClassUniversal, ber.TagSequence, tag(1, general(b.Title)), tag(2, general(b.Author)), tag(17, berElement(ber.ClassContext, 6, part))))
	}
	return nil
}

func (s *Z3950Server) scan(request *ber.Packet) *ber.Packet {
	use, from := z3950Operand(berFind(request, 102))
	counts := map[string]int{}
	for _, b := range s.books {
		value, _ := b.value(use)
		words := bookWords(value)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			counts[w]++
		}
	}
	var terms []string
	for w := range counts {
		if w >= strings.ToLower(from) {
			terms = append(terms, w)
		}
	}
	slices.Sort(terms)
	list := berElement(ber.ClassContext, 1)
	for _, w := range terms[:min(len(terms), max(berInt(berFind(request, 6)), 0))] {
		list.AppendChild(berElement(ber.ClassContext, 1, berText(45, w), berNumber(2, counts[w])))
	}
	return berElement(ber.ClassContext, 36, berNumber(3, 0), berNumber(4, 0), berNumber(5, len(list.Children)), berNumber(6, 1), berElement(ber.ClassContext, 7, list))
}

// addZ3950 adds the library catalog to the World.
func (w *World) addZ3950() {
	startServer(w, "Z3950", "2100", &w.Z3950, func() (*Z3950Server, error) { return StartZ3950(Books()) })
}
