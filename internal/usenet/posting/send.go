package posting

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// reservedFields are the fields of articles that the user must not write (RFC 5536).
var reservedFields = []string{"Path", "Xref", "Injection-Date", "Injection-Info", "Control", "Supersedes", "Cancel-Lock", "Cancel-Key", "Lines"}

// maxHeaderLine is the longest line of a header, in octets (RFC 5536, section 2.2).
const maxHeaderLine = 998

var groupName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+_-]+(\.[A-Za-z0-9+_-]+)*$`) })

// prepare makes a draft into an article that can be posted.
func (c *Client) prepare(server urlcore.URL, t compose.Text, extra ...compose.Field) (*compose.Outgoing, error) {
	from, err := senderAddress(t.Get("From"))
	if err != nil {
		return nil, err
	}
	for _, name := range reservedFields {
		if t.Get(name) != "" {
			return nil, fmt.Errorf("the field %s is not allowed in a draft", name)
		}
	}
	t.Header = slices.Clone(t.Header)
	groups, err := writeGroups(t.Header)
	switch {
	case err != nil:
		return nil, err
	case len(groups) == 0:
		return nil, errors.New("it has no group: fill in Newsgroups")
	case t.Get("Subject") == "":
		return nil, errors.New("it has no subject: fill in Subject")
	case strings.TrimSpace(t.Body) == "":
		return nil, errors.New("the body is empty")
	}
	_, host, _ := strings.Cut(from, "@")
	id := t.MessageID(strings.Trim(host, "[]"))
	date := c.now().Format(time.RFC1123Z)
	header := []compose.Field{{Name: "Date", Value: date}, {Name: "Message-ID", Value: id}}
	if key := c.cancelKey(id); key != "" {
		sum := sha256.Sum256([]byte(key))
		header = append(header, compose.Field{Name: "Cancel-Lock", Value: "sha256:" + base64.StdEncoding.EncodeToString(sum[:])})
	}
	if c.Agent != "" {
		header = append(header, compose.Field{Name: "User-Agent", Value: c.Agent})
	}
	t.EightBit = true
	article, err := t.Format(append(header, extra...))
	if err != nil {
		return nil, err
	}
	head, _, _ := strings.Cut(article, "\r\n\r\n")
	for line := range strings.SplitSeq(head, "\r\n") {
		if len(line) > maxHeaderLine {
			return nil, fmt.Errorf("the line %q... is longer than %d octets", line[:40], maxHeaderLine)
		}
	}
	to := clean.Name(strings.Join(groups, ", "))
	if addr, _ := urlcore.Addr(server); addr != "" {
		to += " by " + addr
	}
	return &compose.Outgoing{
		Later:    c.Server.Addr(server) + "\n" + strings.Replace(article, "Date: "+date+"\r\n", "", 1),
		Question: "Post this to " + to, Sent: article,
		Send: func(ctx context.Context) error { return c.post(ctx, server, from, id, article) },
	}, nil
}

// writeGroups removes the blanks between the group names in the header, because old servers
// do not accept them, and returns the groups of the Newsgroups field.
func writeGroups(header []compose.Field) (groups []string, err error) {
	for i, f := range header {
		isGroups := strings.EqualFold(f.Name, "Newsgroups")
		if !isGroups && !strings.EqualFold(f.Name, "Followup-To") {
			continue
		}
		list := splitGroups(f.Value)
		for _, name := range list {
			if !groupName().MatchString(name) {
				return nil, fmt.Errorf("%s: %q is not a group name", f.Name, name)
			}
		}
		header[i].Value = strings.Join(list, ",")
		if isGroups {
			groups = append(groups, list...)
		}
	}
	return groups, nil
}

// senderAddress returns the address in a From field.
func senderAddress(from string) (string, error) {
	if from == "" {
		return "", &compose.NoSenderError{Setting: "post.from"}
	}
	list, err := compose.Addresses(from)
	switch {
	case err != nil:
		return "", fmt.Errorf("the field From: %w", err)
	case len(list) > 1:
		return "", errors.New("the field From has more than one address")
	case strings.ContainsFunc(list[0].Address, func(r rune) bool { return r > '~' }):
		return "", fmt.Errorf("the address %s is not ASCII", list[0].Address)
	}
	return list[0].Address, nil
}

// post posts an article, stores a copy in the mbox file, and marks the article as read.
func (c *Client) post(ctx context.Context, server urlcore.URL, from, id, article string) error {
	if err := c.Check(ctx, server); err != nil {
		return err
	}
	if err := c.Server.Post(ctx, server, article); err != nil {
		return err
	}
	c.markRead(ctx, server, strings.Trim(id, "<>"))
	if c.Sent == "" {
		return nil
	}
	if err := appendMbox(ctx, c.Sent, from, c.now(), article); err != nil {
		return fmt.Errorf("the article was posted, but its copy could not be kept: %w", err)
	}
	return nil
}

// markRead fetches a posted article, to learn its article numbers in the groups, and marks it as read.
func (c *Client) markRead(ctx context.Context, server urlcore.URL, id string) {
	group := urlcore.NewsGroup(server)
	articleURL, err := urlcore.Canon(urlcore.News{HostPort: group.HostPort, MessageID: id, Secure: group.Secure})
	if c.MarkRead == nil || err != nil {
		return
	}
	res, err := c.Open(ctx, protocols.Request{URL: articleURL})
	if err != nil {
		return
	}
	defer res.Close()
	d, err := document.Open(res.Head, res.Body)
	if err != nil {
		return
	}
	groups := slices.DeleteFunc(d.Crossposts, func(group protocols.Crosspost) bool {
		return group.Group == "control" || strings.HasPrefix(group.Group, "control.") // servers file cancels there
	})
	if len(groups) > 0 {
		_ = c.MarkRead(server, groups) // after an error the article only stays unread
	}
}

// appendMbox appends a message to an mbox file (RFC 4155). After an error it removes the incomplete
// message.
func appendMbox(ctx context.Context, path, from string, at time.Time, message string) (err error) {
	path, err = userfile.Resolve(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock, err := userfile.Lock(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	f, err := userfile.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "From %s %s\n", from, at.UTC().Format(time.ANSIC))
	for line := range strings.Lines(message) {
		if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
			b.WriteByte('>')
		}
		b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	if _, err = f.WriteString(b.String() + "\n"); err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(info.Size()))
	}
	return err
}

// cancelKey returns the key, in base64, that proves authorship of the article with the
// Message-ID id (RFC 8315, section 4). It is "" if c.Secret is "" or the file of the secret
// cannot be used.
func (c *Client) cancelKey(id string) string {
	if c.Secret == "" {
		return ""
	}
	var secret []byte
	err := userfile.Change(c.Secret, maxSignature, func(old []byte) ([]byte, error) {
		if secret = old; len(old) == 0 {
			secret = []byte(rand.Text() + rand.Text() + "\n")
		}
		return secret, nil
	})
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
