package web

import (
	"net/http"
	"strings"
)

// maxVersion is the largest size of a version in octets.
const maxVersion = 4 << 10

// versionOf returns the version of an answer for [protocols.Request.Version]: its URL, because a redirect may lead to another
// one next time, its ETag and its Last-Modified (RFC 9110, section 8.8). It is "" if the answer has neither.
func versionOf(a *exchange) string {
	tag, since := a.Header.Get("ETag"), a.Header.Get("Last-Modified")
	v := strings.Join([]string{a.request.url.String(), tag, since}, "\n")
	if tag == "" && since == "" || len(v) > maxVersion {
		return ""
	}
	return v
}

// addVersion asks for the document only if it has another version than the caller's (RFC 9110, section 13.1).
func addVersion(r *request, h http.Header) {
	fields := strings.Split(r.version, "\n")
	if len(fields) != 3 || fields[0] != r.url.String() {
		return
	}
	if fields[1] != "" {
		h.Set("If-None-Match", fields[1])
	}
	if fields[2] != "" {
		h.Set("If-Modified-Since", fields[2])
	}
}
