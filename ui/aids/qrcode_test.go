package aids

import (
	"testing"

	"rsc.io/qr"

	"gofer/internal/testbed/fetchtest"
)

func TestQRRows(t *testing.T) {
	code := fetchtest.Must(qr.Encode("gopher://gopher.example.org/", qr.L))(t)
	for _, darkInk := range []bool{true, false} {
		rows := qrRows(code, darkInk, true)
		if len(rows) != code.Size+2*qrMargin {
			t.Fatalf("qrRows: got %d rows, want %d", len(rows), code.Size+2*qrMargin)
		}
		for y, row := range rows {
			for x := range code.Size + 2*qrMargin {
				if black := (row[2*x] == '#') == darkInk; black != code.Black(x-qrMargin, y-qrMargin) {
					t.Fatalf("dark ink %v, module %d,%d: got black %v, want %v", darkInk, x, y, black, !black)
				}
			}
		}
		for i, row := range qrRows(code, darkInk, false) {
			for x, r := range []rune(row) {
				upper, lower := r == '█' || r == '▀', r == '█' || r == '▄'
				y := 2*i - qrMargin
				if (upper == darkInk) != code.Black(x-qrMargin, y) || y+1 < code.Size+qrMargin && (lower == darkInk) != code.Black(x-qrMargin, y+1) {
					t.Fatalf("dark ink %v: cell %d,%d is %q, which differs from the two modules of the code", darkInk, x, i, r)
				}
			}
		}
	}
}
