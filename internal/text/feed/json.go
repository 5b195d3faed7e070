package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mmcdole/gofeed"
	jsonfeed "github.com/mmcdole/gofeed/json"
)

// parseJSON parses a JSON feed. It leaves out items that it cannot parse.
func parseJSON(text string) (*Feed, error) {
	raw, problem, err := scanJSON(text)
	if err != nil {
		return nil, err
	}
	parsed, err := (&gofeed.DefaultJSONTranslator{}).Translate(raw)
	if err != nil {
		return nil, err
	}
	f := newFeed(parsed, true)
	f.Description, f.Problem = escape(parsed.Description), cmp.Or(problem, f.Problem)
	for i, item := range parsed.Items {
		e := newEntry(item, true)
		from := raw.Items[i]
		e.URL = cmp.Or(from.URL, from.ExternalURL)
		switch {
		case !isBlank(from.Summary):
			e.Summary = escape(from.Summary)
		case !isBlank(from.ContentHTML):
			e.Summary = from.ContentHTML
		default:
			e.Summary = escape(from.ContentText)
		}
		e.setTitle()
		f.Entries[i] = e
	}
	return f, nil
}

// jsonScanner scans a JSON feed.
type jsonScanner struct {
	d       *json.Decoder
	feed    *jsonfeed.Feed
	members int    // members of the feed and of its items
	problem string // the bound that ended the scan, or ""
}

// scanJSON reads the members of a JSON feed one by one, up to a syntax error or a bound. It ignores members that are not
// shown.
func scanJSON(text string) (f *jsonfeed.Feed, problem string, err error) {
	s := &jsonScanner{d: json.NewDecoder(strings.NewReader(text)), feed: new(jsonfeed.Feed)}
	if t, err := s.d.Token(); err != nil || t != json.Delim('{') {
		return nil, "", errNoFeed
	}
	err = s.scanMembers(s.d, func(name string) error {
		switch name {
		case "items":
			return s.scanItems()
		case "title", "description", "home_page_url":
			value, err := readMember(s.d, name)
			_ = json.Unmarshal(slices.Concat([]byte("{"), value, []byte("}")), s.feed) // a member of another type is left out
			return err
		}
		return s.d.Decode(new(json.RawMessage))
	})
	if err != nil && s.problem == "" {
		s.problem = problemBroken
	}
	return s.feed, s.problem, nil
}

// scanMembers calls read for each member of the object that d has begun, after the name of the member, up to an error, the
// end of the object, or a bound.
func (s *jsonScanner) scanMembers(d *json.Decoder, read func(name string) error) error {
	for s.problem == "" && d.More() {
		if s.members++; s.members > maxParts {
			s.problem = problemParts
			break
		}
		t, err := d.Token()
		if err != nil {
			return err
		}
		if name, ok := t.(string); ok {
			err = read(name)
		}
		if err != nil {
			return err
		}
	}
	if s.problem != "" {
		return nil
	}
	_, err := d.Token()
	return err
}

// scanItems reads the items of the feed.
func (s *jsonScanner) scanItems() error {
	if t, err := s.d.Token(); err != nil || t != json.Delim('[') {
		return err
	}
	for s.d.More() {
		if len(s.feed.Items) == MaxEntries {
			s.problem = problemMany
			return nil
		}
		var value json.RawMessage
		if err := s.d.Decode(&value); err != nil {
			return err
		}
		item := s.parseItem(value)
		if s.problem != "" {
			return nil
		}
		if item != nil {
			s.feed.Items = append(s.feed.Items, item)
		}
	}
	_, err := s.d.Token()
	return err
}

// parseItem returns the item in value, or nil if it is none. Package gofeed gets only the members that are shown, and only
// the beginning of a list: package json would also accept a name in other case.
func (s *jsonScanner) parseItem(value []byte) *jsonfeed.Item {
	d := json.NewDecoder(bytes.NewReader(value))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	known := []byte(`{"id":null`)
	err := s.scanMembers(d, func(name string) (err error) {
		var member []byte
		switch name {
		case "id", "url", "external_url", "title", "content_html", "content_text", "summary", "date_published", "date_modified", "author", "authors", "attachments":
			member, err = readMember(d, name)
			known = append(append(known, ','), member...)
		default:
			err = d.Decode(new(json.RawMessage))
		}
		return err
	})
	item := new(jsonfeed.Item)
	if err != nil || json.Unmarshal(append(known, '}'), item) != nil {
		return nil
	}
	item.Authors = slices.DeleteFunc(item.Authors, func(a *jsonfeed.Author) bool { return a == nil })
	return item
}

// readMember reads the value of a member. It returns the member with at most maxLinks+1 elements of a list.
func readMember(d *json.Decoder, name string) ([]byte, error) {
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if value[0] == '[' {
		list := json.NewDecoder(bytes.NewReader(value))
		_, _ = list.Token()
		first := []byte("[")
		for n := 0; n <= maxLinks && list.More(); n++ {
			var element json.RawMessage
			if err := list.Decode(&element); err != nil {
				return nil, err
			}
			if n > 0 {
				first = append(first, ',')
			}
			first = append(first, element...)
		}
		first = append(first, ']')
		value = first
	}
	return slices.Concat([]byte(`"`+name+`":`), value), nil
}
