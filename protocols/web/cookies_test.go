package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestCookiesAreBounded checks the limits for the number and the size of cookies.
func TestCookiesAreBounded(t *testing.T) {
	var j jar
	u, _ := url.Parse("http://h.example/")
	cookie := func(name string, n int) *http.Cookie {
		return fetchtest.Must(http.ParseSetCookie(name + "=" + strings.Repeat("x", n)))(t)
	}
	j.SetCookies(u, []*http.Cookie{cookie("long", maxCookie), cookie("a", 10)})
	if got := j.Cookies(u); len(got) != 1 || got[0].Name != "a" {
		t.Errorf("got the cookies %v; want only the short one", got)
	}
	for answer := range 2000 {
		var many []*http.Cookie
		for i := range 2 * maxCookies {
			many = append(many, cookie(fmt.Sprintf("n%d-%d", answer, i), 100))
		}
		j.SetCookies(u, many)
	}
	size := 0
	for _, c := range j.Cookies(u) {
		size += len(c.Name) + len(c.Value)
	}
	if size == 0 || size > maxAllCookie {
		t.Errorf("got %d octets of cookies; want at most %d, and more than 0", size, maxAllCookie)
	}
}

// TestCacheIsBounded checks that the cache has the latest answers within its limit, one for each
// URL.
func TestCacheIsBounded(t *testing.T) {
	var c cache
	at := func(i int) urlcore.HTTP { return urlcore.HTTP{HostPort: urlcore.HostPort{Host: fmt.Sprint("h", i)}} }
	for i := range 10 {
		for range 2 {
			c.add(&cacheEntry{head: protocols.Head{URL: at(i)}, body: make([]byte, maxAnswer)})
		}
	}
	for i := range 10 {
		fetchtest.Equal(t, c.find(at(i)) != nil, i >= 10-maxCached/maxAnswer, "answer %d is kept", i)
	}
	fetchtest.Equal(t, len(c.entries), maxCached/maxAnswer, "kept answers")
}
