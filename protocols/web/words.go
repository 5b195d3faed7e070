package web

import (
	"errors"
	"strconv"
	"strings"
)

// faults are the words for errors of net/http and http2 about an answer. The first row whose text is in the error
// applies.
var faults = [...]struct{ text, words string }{
	{"malformed HTTP response", "its first line is not complete"},
	{"malformed HTTP version", "its version of HTTP is not valid"},
	{"malformed HTTP status code", "its status code is not a number of three digits"},
	{"malformed MIME header", "its header has a line that is not a field"},
	{"invalid header", "its header has a field that is not valid"},
	{"headers exceeded", longHeader},
	{"header list", longHeader},
	{"Content-Length", "its length is not valid"},
	{"transfer encoding", "it has a transfer coding that is not supported"},
	{"chunk", "the lengths of its chunks are not valid"},
	{"trailer", "the fields after its body are not valid"},
	{"GOAWAY", "the server has ended the connection"},
	{"REFUSED_STREAM", "the server has refused the request"},
	{"HTTP_1_1_REQUIRED", "the server accepts no HTTP/2 for this page"},
	{"stream error", "the server has ended the answer with an error of HTTP/2"},
	{"frame", "it does not follow HTTP/2"},
	{"http2", "it does not follow HTTP/2"},
}

var longHeader = "its header is longer than " + strconv.Itoa(maxHead>>10) + " KiB"

var errNotHTTP = errors.New("it is not HTTP: another service may listen at this port")

// describe returns the octets of the server that err, an error about an answer, quotes, and the cause in words. The cause
// of an error that is not of net/http is the error itself.
func describe(err error) (quoted string, cause error) {
	text := err.Error()
	if i := strings.IndexByte(text, '"'); i >= 0 && strings.HasSuffix(text, `"`) {
		if s, err := strconv.Unquote(text[i:]); err == nil {
			text, quoted = text[:i], s
		}
	}
	for _, f := range faults {
		if strings.Contains(text, f.text) {
			return quoted, errors.New(f.words)
		}
	}
	for _, foreign := range [...]string{"net/http:", "http:", "transport"} {
		if strings.Contains(text, foreign) {
			return "", errors.New("it does not follow HTTP")
		}
	}
	return "", err
}
