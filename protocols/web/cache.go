package web

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	copies "gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/urlcore"
)

// The limits of the cache.
const (
	maxCached = 16 << 20 // octets of all answers
	maxAnswer = 2 << 20  // octets of an answer
)

// cache stores answers for conditional requests (RFC 9110, section 13). The last element of entries is
// the newest answer. The zero value is ready.
type cache struct {
	mu      sync.Mutex
	entries []*cacheEntry
}

type cacheEntry struct {
	head       protocols.Head
	body       []byte
	tag, since string // ETag and Last-Modified
}

func (c *cache) find(u urlcore.HTTP) *cacheEntry {
	for _, k := range c.entries {
		if k.head.URL == u {
			return k
		}
	}
	return nil
}

// addConditions makes a request for u conditional if the cache has an answer.
func (c *cache) addConditions(u urlcore.HTTP, h http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.find(u)
	if k == nil {
		return
	}
	if k.tag != "" {
		h.Set("If-None-Match", k.tag)
	}
	if k.since != "" {
		h.Set("If-Modified-Since", k.since)
	}
}

// findResource returns the stored answer for u, or nil.
func (c *cache) findResource(u urlcore.HTTP) *protocols.Resource {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.find(u)
	if k == nil {
		return nil
	}
	return &protocols.Resource{Head: k.head, Body: bytes.NewReader(k.body), Closer: io.NopCloser(nil)}
}

// record returns a reader of the body of an answer. When the body has been read to its end, the
// answer is added to the cache. An answer is stored only if the server supports conditional
// requests for it and allows storing, and if the body has at most maxAnswer octets.
func (c *cache) record(a *exchange, res *protocols.Resource) io.Reader {
	k := &cacheEntry{head: res.Head, tag: a.Header.Get("ETag"), since: a.Header.Get("Last-Modified")}
	if k.tag == "" && k.since == "" || res.Size > maxAnswer || strings.Contains(a.Header.Get("Cache-Control"), "no-store") || res.Security.Identity != "" {
		return res.Body
	}
	k.head.Notes = nil
	return copies.Record(res.Body, maxAnswer, func(octets []byte) {
		k.body = octets
		c.add(k)
	})
}

func (c *cache) add(k *cacheEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := len(k.body)
	c.entries = slices.DeleteFunc(c.entries, func(old *cacheEntry) bool { return old.head.URL == k.head.URL })
	c.entries = append(c.entries, k)
	for i := len(c.entries) - 2; i >= 0; i-- {
		if size += len(c.entries[i].body); size > maxCached {
			c.entries = slices.Clone(c.entries[i+1:])
			return
		}
	}
}
