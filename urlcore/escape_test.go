package urlcore_test

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func TestEscapeQuery(t *testing.T) {
	fetchtest.Equal(t, urlcore.EscapeQuery("a b+c/é?&=%-_.~"), "a%20b%2Bc%2F%C3%A9%3F%26%3D%25-_.~")
}
