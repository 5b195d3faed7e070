package demo

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

// Limits of a WAISServer, as in freeWAIS.
const (
	waisBuffer = 100_000
	waisIdle   = time.Hour
)

// WAISServer is a WAIS server on a free port of 127.0.0.1 that answers like freeWAIS-sf: an
// answer that exceeds its buffer is empty, and a request that would crash freeWAIS closes the
// connection. Its methods are safe for concurrent use.
type WAISServer struct {
	server

	// Guarded by mu:
	databases      []WAISDatabase
	requests       int
	originalFaults bool
}

// WAISDatabase is a database of documents that can be searched by words.
type WAISDatabase struct {
	Name        string
	Description string
	Documents   []WAISDocument
}

// StartWAIS starts a server of databases; Close stops it.
func StartWAIS(databases []WAISDatabase) (*WAISServer, error) {
	s := &WAISServer{databases: databases}
	if err := s.start(s.serve); err != nil {
		return nil, err
	}
	return s, nil
}

// URL returns the URL of a database.
func (s *WAISServer) URL(database string) string { return "wais://" + s.hostInURLs() + "/" + database }

// Add adds a database.
func (s *WAISServer) Add(d WAISDatabase) {
	s.mu.Lock()
	s.databases = append(slices.Clip(s.databases), d)
	s.mu.Unlock()
}

func (s *WAISServer) hasOriginalFaults() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.originalFaults
}

func (s *WAISServer) allDatabases() []WAISDatabase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.databases
}

// Requests returns the number of requests received.
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
			return // the freeWAIS process for this connection would crash
		}
		reply = slices.Concat(fmt.Appendf(nil, "%010d", len(reply)), header[10:], reply)
		_ = c.SetWriteDeadline(time.Now().Add(gopherIdle))
		if _, err := c.Write(reply); err != nil {
			return
		}
	}
}

var errWAISCrash = errors.New("the server crashes")

// answer returns the response APDU to the APDU b.
func (s *WAISServer) answer(b []byte) ([]byte, error) {
	hli := int(b[0])<<8 | int(b[1])
	if hli < 1 || 2+hli > len(b) {
		return nil, errWAISCrash
	}
	header, rest := b[3:2+hli], b[2+hli:]
	switch b[2] {
	case 20:
		parameters := waisField(nil, 3, "\x80")
		parameters = waisField(parameters, 4, "\x80")
		parameters = waisField(waisField(parameters, 5, "\x01\x86\xa0"), 6, "\x01\x86\xa0")
		parameters = waisField(waisField(parameters, 8, "gofer"), 9, "The demonstration world")
		parameters = waisField(parameters, 10, "2.2.8 string")
		return waisAPDU(append([]byte{21, 1}, parameters...), waisField(waisField(nil, 100, "\x00"), 101, "\x00")), nil
	case 22:
		if len(header) < 10 {
			return nil, errWAISCrash
		}
		return s.search(header[10:], rest)
	}
	return nil, errWAISCrash
}

// search answers a query: a query of type "3" is a search, and a query of type "1" retrieves a
// document.
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
		if !ok && kind == "3" && s.hasOriginalFaults() && isEmptyWAISQuery(info) {
			return waisResponse(nil), nil
		}
		if !ok {
			return waisResponse(waisDiagnostic("S1", "The following database is not available: "+name, 0)), nil
		}
		if kind == "1" { // retrieve from the first database only
			part, err := s.retrieve(d, info)
			return waisResponse(part), err
		}
		found, err := s.findDocuments(d, info)
		if err != nil {
			return nil, err
		}
		if records = append(records, found...); s.hasOriginalFaults() {
			break
		}
	}
	if len(records) > waisBuffer-1000 {
		records = nil
	}
	return waisResponse(records), nil
}

// database returns the database called name. The database INFO contains the descriptions of all
// databases.
func (s *WAISServer) database(name string) (d WAISDatabase, ok bool) {
	if name == "INFO" {
		d.Name = name
		for _, other := range s.allDatabases() {
			d.Documents = append(d.Documents, s.description(other))
		}
		return d, true
	}
	for _, d := range s.allDatabases() {
		if d.Name == name {
			return d, true
		}
	}
	return d, false
}

// description returns the source description of a database as a document.
func (s *WAISServer) description(d WAISDatabase) WAISDocument {
	host, port, _ := net.SplitHostPort(s.Addr())
	text := "(:source\n   :version  3\n   :ip-name \"" + host + "\"\n   :tcp-port " + port +
		"\n   :database-name " + strconv.Quote(d.Name) + "\n   :cost 0.00\n   :cost-unit :free\n   :maintainer \"keeper@example.invalid\"\n" +
		"   :keyword-list (\n" + "                  gopher\n" + "                  )\n" +
		"   :description \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(d.Description) + "\"\n)\n"
	return WAISDocument{Name: d.Name + ".src", Headline: d.Name + ".src", Types: []string{"WSRC"}, Content: map[string]string{"WSRC": text}}
}

// waisCatalog returns the catalog of d, a document that lists the documents of d.
func waisCatalog(d WAISDatabase) WAISDocument {
	text := "Catalog for database: " + d.Name + "\n"
	for _, doc := range d.Documents {
		text += "\nHeadline: " + doc.Headline + "\nDocID: " + doc.Name + "\n"
	}
	return WAISDocument{Name: d.Name + ".cat", Headline: "Catalog for database: " + d.Name, Types: []string{"TEXT"}, Content: map[string]string{"TEXT": text}}
}

// findDocuments answers a search by words and relevance feedback.
func (s *WAISServer) findDocuments(d WAISDatabase, info []byte) ([]byte, error) {
	var words []string
	maxHits, typePending := 40, false // typePending: a document ID was read, but its type was not
	hasFeedback, hasWords, openParens := false, false, 0
	for tag, value := range waisFields(info) {
		if typePending && tag != 133 {
			return nil, errWAISCrash
		}
		typePending = tag == 116
		switch tag {
		case 106:
			words = append(words, splitWAISWords(value)...)
			hasWords = hasWords || value != ""
			openParens += strings.Count(value, "(") - strings.Count(value, ")")
		case 114:
			maxHits = waisNumber(value)
		case 116:
			hasFeedback = true
			if like, ok := s.findDocument(d, value); ok {
				words = append(words, splitWAISWords(like.Headline+" "+like.Content[like.Types[0]])...)
			}
		}
	}
	if typePending {
		return nil, errWAISCrash
	}
	if s.hasOriginalFaults() && (hasFeedback && !hasWords || openParens != 0) {
		return append(s.answerNothingFound(d), waisDiagnostic("S1", "query syntax error", 0)...), nil
	}
	if len(words) == 0 {
		return s.describeDatabase(d), nil
	}
	type hit struct {
		doc   WAISDocument
		score int
	}
	hits, best := []hit(nil), 1
	for _, doc := range d.Documents {
		matched, score := make(map[string]bool), 0 // matched contains the words of the query that are in doc
		for _, w := range splitWAISWords(doc.Headline + " " + doc.Content[doc.Types[0]]) {
			if slices.Contains(words, w) {
				score++
				matched[w] = true
			}
		}
		if score += 10 * len(matched); score > 0 {
			hits, best = append(hits, hit{doc, score}), max(best, score)
		}
	}
	if len(hits) == 0 {
		return s.answerNothingFound(d), nil
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	var b []byte
	for _, h := range hits[:min(maxHits, len(hits))] {
		b = append(b, s.encodeRecord(d, h.doc, 1000*h.score/best, true)...)
	}
	return b, nil
}

// answerNothingFound returns the answer to a search that finds nothing: the catalog.
func (s *WAISServer) answerNothingFound(d WAISDatabase) []byte {
	catalog := waisCatalog(d)
	catalog.Headline = "Search produced no result. Here's the " + catalog.Headline
	return s.encodeRecord(d, catalog, 0, false)
}

// isEmptyWAISQuery reports whether a query has neither words nor documents.
func isEmptyWAISQuery(info []byte) bool {
	for tag, value := range waisFields(info) {
		if tag == 116 || tag == 106 && value != "" {
			return false
		}
	}
	return true
}

// describeDatabase returns the answer to an empty query: the description and the catalog. For INFO
// it returns all documents, unless the server has the faults of [StartOriginalWAIS].
func (s *WAISServer) describeDatabase(d WAISDatabase) (b []byte) {
	if d.Name == "INFO" && !s.hasOriginalFaults() {
		for _, doc := range d.Documents {
			b = append(b, s.encodeRecord(d, doc, 1000, true)...)
		}
		return b
	}
	source := s.description(d)
	source.Headline = "Information on database: " + d.Name
	return append(s.encodeRecord(d, source, 1000, true), s.encodeRecord(d, waisCatalog(d), 1000, false)...)
}

func splitWAISWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f)
	})
}
