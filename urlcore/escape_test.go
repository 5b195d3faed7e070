package urlcore_test

import (
	"testing"

	"gofer/urlcore"
)

func TestEscapeQuery(t *testing.T) {
	if got, want := urlcore.EscapeQuery("a b+c/é?&=%-_.~"), "a%20b%2Bc%2F%C3%A9%3F%26%3D%25-_.~"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
