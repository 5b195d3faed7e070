package main

import (
	"os"
	"testing"

	"gofer/internal/config"
	"gofer/protocols/nntp"
)

// TestDefaultArticles: gofer config tells the number that the client takes.
func TestDefaultArticles(t *testing.T) {
	if got := config.Defaults(os.Getenv).NewestArticles; got != nntp.DefaultNewest {
		t.Errorf("config has %d, nntp %d", got, nntp.DefaultNewest)
	}
}
