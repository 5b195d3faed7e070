package gopher

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// BenchmarkMenu reads a menu of a million lines, from memory and from a server.
func BenchmarkMenu(b *testing.B) {
	const n = 1_000_000
	var big strings.Builder
	for i := range n {
		fmt.Fprintf(&big, "0Item number %07d\t/big/item/%07d\t127.0.0.1\t34567\r\n", i, i)
	}
	count := func(b *testing.B, lines func(func(protocols.Line, error) bool)) {
		got := 0
		for _, err := range lines {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n {
			b.Fatalf("%d lines, want %d", got, n)
		}
	}
	b.Run("memory", func(b *testing.B) {
		b.SetBytes(int64(big.Len()))
		b.ReportAllocs()
		for b.Loop() {
			count(b, readMenu(context.Background(), menuSource{Reader: strings.NewReader(big.String())}))
		}
	})
	b.Run("loopback", func(b *testing.B) {
		s := fetchtest.CloseAtEnd(demo.StartGopher(nil))(b)
		b.SetBytes(int64(big.Len()))
		b.ReportAllocs()
		for b.Loop() {
			res := fetchtest.Must((&Client{}).Fetch(context.Background(), protocols.Request{URL: bigItemOf(b, s, '1', "/big/1000000")}))(b)
			count(b, res.Lines)
			_ = res.Close()
		}
	})
}

func bigItemOf(tb testing.TB, s *demo.GopherServer, typ byte, selector string) urlcore.Gopher {
	tb.Helper()
	return itemOf(s.Addr(), typ, selector)
}
