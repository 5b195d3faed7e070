package readlater

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func page(name string) urlcore.URL {
	return urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1', Selector: "/" + name}
}

// titles returns the titles and states of the items.
func titles(t *testing.T, l *List) string {
	t.Helper()
	var all []string
	for _, it := range fetchtest.Must(l.Items())(t) {
		all = append(all, it.Title+" "+string(it.State)+it.Reason)
	}
	return strings.Join(all, ", ")
}

// TestList adds, updates and removes items, and checks that lines of another form stay in the file.
func TestList(t *testing.T) {
	l := &List{filepath.Join(t.TempDir(), "folder", "later")}
	fetchtest.Equal(t, titles(t, l), "", "items without a file")
	secret := fetchtest.Must(urlcore.Parse("ftp://joe:secret@h.example/f"))(t)
	fetchtest.NoError(t, l.Add(Item{URL: page("a"), Title: "a"}, Item{URL: secret, Title: "secret"}, Item{URL: page("b"), Title: "b"}))
	file := fetchtest.Must(os.ReadFile(l.Path))(t)
	if strings.Contains(string(file), ":secret@") {
		t.Errorf("the file has a password: %s", file)
	}
	fetchtest.NoError(t, os.WriteFile(l.Path, append([]byte("a later version\n{}\n"), file...), 0o600))
	fetchtest.NoError(t, l.Update(page("a"), Failed, ": refused", time.Now()))
	fetchtest.Equal(t, titles(t, l), "a failed: refused, secret waiting, b waiting", "after a failure")
	fetchtest.NoError(t, l.Add(Item{URL: page("a")})) // it waits again
	fetchtest.Equal(t, titles(t, l), "secret waiting, b waiting, a waiting", "after adding again")
	removed := fetchtest.Must(l.Remove(page("b"), page("x")))(t)
	fetchtest.Equal(t, len(removed), 1, "removed items")
	fetchtest.Equal(t, titles(t, l), "secret waiting, a waiting", "after removing")
	fetchtest.NoError(t, l.Add(removed...))
	fetchtest.Equal(t, titles(t, l), "secret waiting, a waiting, b waiting", "after the undo")
	if file := string(fetchtest.Must(os.ReadFile(l.Path))(t)); !strings.HasPrefix(file, "a later version\n{}\n") {
		t.Errorf("the file is %q, want the lines of another form in it", file)
	}
}

// TestBound checks that a full list refuses items instead of dropping others, and that long URLs are refused.
func TestBound(t *testing.T) {
	l := &List{filepath.Join(t.TempDir(), "later")}
	var items []Item
	for i := range MaxItems {
		items = append(items, Item{URL: page(fmt.Sprint(i)), Title: strings.Repeat("t", 2*maxTitle)})
	}
	fetchtest.NoError(t, l.Add(items...))
	if err := l.Add(Item{URL: page("more")}); !errors.Is(err, ErrFull) {
		t.Errorf("Add to a full list = %v, want ErrFull", err)
	}
	fetchtest.NoError(t, l.Add(items[0]))
	if err := l.Add(Item{URL: page(strings.Repeat("x", maxText))}); err == nil || errors.Is(err, ErrFull) {
		t.Errorf("Add of a long URL = %v, want an error about its length", err)
	}
	fetchtest.Equal(t, len(fetchtest.Must(l.Items())(t)), MaxItems, "items")
}

// TestPrograms checks that no item is lost when several programs add items at the same time.
func TestPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "later")
	var running sync.WaitGroup
	for p := range 4 {
		running.Go(func() {
			for i := range 10 {
				if err := (&List{path}).Add(Item{URL: page(fmt.Sprint(p, "-", i))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	fetchtest.Equal(t, len(fetchtest.Must((&List{path}).Items())(t)), 40, "items")
}
