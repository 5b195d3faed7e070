package loopback

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The limits of a WAISServer, as in freeWAIS.
const (
	waisBuffer = 100_000
	waisIdle   = time.Hour
)

// WAISServer is a WAIS server on a free port of 127.0.0.1 that answers as
// freeWAIS-sf does: an answer that does not fit its buffer is empty, and a
// request that freeWAIS fails on ends the connection. All its methods may be
// called at the same time.
type WAISServer struct {
	server

	// Under mu:
	databases []WAISDatabase
	requests  int
	original  bool
}

// WAISDatabase is a database: documents, which are found by their words.
type WAISDatabase struct {
	Name        string
	Description string
	Documents   []WAISDocument
}

// StartWAIS serves the databases until Close.
func StartWAIS(databases []WAISDatabase) (*WAISServer, error) {
	s := &WAISServer{databases: databases}
	if err := s.start(s.serve); err != nil {
		return nil, err
	}
	return s, nil
}

// URL returns the URL of a database.
func (s *WAISServer) URL(database string) string { return "wais://" + s.inURLs() + "/" + database }

// Add serves another database from now on.
func (s *WAISServer) Add(d WAISDatabase) {
	s.mu.Lock()
	s.databases = append(slices.Clip(s.databases), d)
	s.mu.Unlock()
}

func (s *WAISServer) isOriginal() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.original
}

// all are the databases.
func (s *WAISServer) all() []WAISDatabase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.databases
}

// Requests returns how many requests have come.
func (s *WAISServer) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func (s *WAISServer) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		_ = c.SetReadDeadline(time.Now().Add(waisIdle))
		header := make([]byte, 25)
		if _, err := io.ReadFull(r, header); err != nil {
			return
		}
		n, err := strconv.Atoi(string(header[:10]))
		if err != nil || n < 3 || n > waisBuffer || header[10] != 'z' {
			return
		}
		request := make([]byte, n)
		if _, err := io.ReadFull(r, request); err != nil {
			return
		}
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		reply, err := s.answer(request)
		if err != nil {
			return // as the child of freeWAIS that has crashed
		}
		reply = slices.Concat(fmt.Appendf(nil, "%010d", len(reply)), header[10:], reply)
		_ = c.SetWriteDeadline(time.Now().Add(gopherIdle))
		if _, err := c.Write(reply); err != nil {
			return
		}
	}
}

var errWAISCrash = errors.New("the server crashes")

// answer returns the APDU that answers one.
func (s *WAISServer) answer(b []byte) ([]byte, error) {
	hli := int(b[0])<<8 | int(b[1])
	if hli < 1 || 2+hli > len(b) {
		return nil, errWAISCrash
	}
	header, rest := b[3:2+hli], b[2+hli:]
	switch b[2] {
	case 20:
		own := waisField(nil, 3, "\x80")
		own = waisField(own, 4, "\x80")
		own = waisField(waisField(own, 5, "\x01\x86\xa0"), 6, "\x01\x86\xa0")
		own = waisField(waisField(own, 8, "gofer"), 9, "The demonstration world")
		own = waisField(own, 10, "2.2.8 string")
		return waisAPDU(append([]byte{21, 1}, own...), waisField(waisField(nil, 100, "\x00"), 101, "\x00")), nil
	case 22:
		if len(header) < 10 {
			return nil, errWAISCrash
		}
		return s.search(header[10:], rest)
	}
	return nil, errWAISCrash
}

// search answers a search of type "3" or the query for a document of type "1".
func (s *WAISServer) search(header, rest []byte) ([]byte, error) {
	var database, kind string
	for tag, value := range waisFields(header) {
		switch tag {
		case 18:
			database = value
		case 20:
			kind = value
		}
	}
	var info []byte
	for tag, value := range waisFields(rest) {
		if tag == 99 && kind == "3" || tag == 21 && kind == "1" {
			info = []byte(value)
		}
	}
	database = cmp.Or(database, "INFO")
	var records []byte
	for name := range strings.SplitSeq(database, "\x1f") {
		d, ok := s.database(name)
		if !ok && kind == "3" && s.isOriginal() && waisForNothing(info) {
			return waisResponse(nil), nil
		}
		if !ok {
			return waisResponse(waisDiagnostic("S1", "The following database is not available: "+name, 0)), nil
		}
		if kind == "1" { // of the first one only
			part, err := s.retrieve(d, info)
			return waisResponse(part), err
		}
		found, err := s.find(d, info)
		if err != nil {
			return nil, err
		}
		if records = append(records, found...); s.isOriginal() {
			break
		}
	}
	if len(records) > waisBuffer-1000 {
		records = nil
	}
	return waisResponse(records), nil
}

// database returns a database. The database INFO holds the descriptions of all databases.
func (s *WAISServer) database(name string) (d WAISDatabase, ok bool) {
	if name == "INFO" {
		d.Name = name
		for _, each := range s.all() {
			d.Documents = append(d.Documents, s.description(each))
		}
		return d, true
	}
	for _, d := range s.all() {
		if d.Name == name {
			return d, true
		}
	}
	return d, false
}

// description is the source description of a database.
func (s *WAISServer) description(d WAISDatabase) WAISDocument {
	host, port, _ := net.SplitHostPort(s.Addr())
	text := "(:source\n   :version  3\n   :ip-name \"" + host + "\"\n   :tcp-port " + port +
		"\n   :database-name " + strconv.Quote(d.Name) + "\n   :cost 0.00\n   :cost-unit :free\n   :maintainer \"keeper@example.invalid\"\n" +
		"   :keyword-list (\n" + "                  gopher\n" + "                  )\n" +
		"   :description \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(d.Description) + "\"\n)\n"
	return WAISDocument{Name: d.Name + ".src", Headline: d.Name + ".src", Types: []string{"WSRC"}, Content: map[string]string{"WSRC": text}}
}

// catalog lists the documents of a database.
func waisCatalog(d WAISDatabase) WAISDocument {
	text := "Catalog for database: " + d.Name + "\n"
	for _, doc := range d.Documents {
		text += "\nHeadline: " + doc.Headline + "\nDocID: " + doc.Name + "\n"
	}
	return WAISDocument{Name: d.Name + ".cat", Headline: "Catalog for database: " + d.Name, Types: []string{"TEXT"}, Content: map[string]string{"TEXT": text}}
}

// find answers a search by words and relevance feedback.
func (s *WAISServer) find(d WAISDatabase, info []byte) ([]byte, error) {
	var words []string
	most, waiting := 40, false // a document waits for its type
	likes, worded, open := false, false, 0
	for tag, value := range waisFields(info) {
		if waiting && tag != 133 {
			return nil, errWAISCrash
		}
		waiting = tag == 116
		switch tag {
		case 106:
			words = append(words, waisWords(value)...)
			worded = worded || value != ""
			open += strings.Count(value, "(") - strings.Count(value, ")")
		case 114:
			most = waisNumber(value)
		case 116:
			likes = true
			if like, ok := s.document(d, value); ok {
				words = append(words, waisWords(like.Headline+" "+like.Content[like.Types[0]])...)
			}
		}
	}
	if waiting {
		return nil, errWAISCrash
	}
	if s.isOriginal() && (likes && !worded || open != 0) {
		return append(s.noResult(d), waisDiagnostic("S1", "query syntax error", 0)...), nil
	}
	if len(words) == 0 {
		return s.about(d), nil
	}
	type hit struct {
		doc   WAISDocument
		score int
	}
	hits, best := []hit(nil), 1
	for _, doc := range d.Documents {
		has, n := make(map[string]bool), 0 // of the words
		for _, w := range waisWords(doc.Headline + " " + doc.Content[doc.Types[0]]) {
			if slices.Contains(words, w) {
				n++
				has[w] = true
			}
		}
		if n += 10 * len(has); n > 0 {
			hits, best = append(hits, hit{doc, n}), max(best, n)
		}
	}
	if len(hits) == 0 {
		return s.noResult(d), nil
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	var b []byte
	for _, h := range hits[:min(most, len(hits))] {
		b = append(b, s.record(d, h.doc, 1000*h.score/best, true)...)
	}
	return b, nil
}

// noResult answers a search that finds nothing.
func (s *WAISServer) noResult(d WAISDatabase) []byte {
	catalog := waisCatalog(d)
	catalog.Headline = "Search produced no result. Here's the " + catalog.Headline
	return s.record(d, catalog, 0, false)
}

// waisForNothing reports whether a search has neither words nor documents.
func waisForNothing(info []byte) bool {
	for tag, value := range waisFields(info) {
		if tag == 116 || tag == 106 && value != "" {
			return false
		}
	}
	return true
}

// about answers a search for nothing.
func (s *WAISServer) about(d WAISDatabase) (b []byte) {
	if d.Name == "INFO" && !s.isOriginal() {
		for _, doc := range d.Documents {
			b = append(b, s.record(d, doc, 1000, true)...)
		}
		return b
	}
	source := s.description(d)
	source.Headline = "Information on database: " + d.Name
	return append(s.record(d, source, 1000, true), s.record(d, waisCatalog(d), 1000, false)...)
}

func waisWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f)
	})
}
