package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

var day = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// file is an entry of an archive. It is a directory if its name ends in a slash.
type file struct{ name, text string }

var some = []file{{"d/", ""}, {"d/a.txt", "one\n"}, {"d/b c.txt", "two\n"}}

func makeTar(files ...file) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.text)), Mode: 0o644, ModTime: day, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		_ = w.WriteHeader(h)
		_, _ = io.WriteString(w, f.text)
	}
	_ = w.WriteHeader(&tar.Header{Name: "d/link", Linkname: "a.txt", ModTime: day, Typeflag: tar.TypeSymlink})
	_ = w.Close()
	return b.Bytes()
}

func makeZip(files ...file) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, _ := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: day})
		_, _ = io.WriteString(out, f.text)
	}
	_ = w.Close()
	return b.Bytes()
}

func gzipData(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

func compressZstd(data []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	defer w.Close()
	return w.EncodeAll(data, nil)
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	return fetchtest.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
}

// list returns the entries of an archive, one per line.
func list(r io.Reader) (string, error) {
	var b strings.Builder
	for e, err := range Entries(context.Background(), r) {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%s %d", e.Name, e.Size)
		if e.Dir {
			b.WriteString(" dir")
		}
		if e.Target != "" {
			b.WriteString(" -> " + e.Target)
		}
		if !e.Modified.IsZero() && !e.Modified.Equal(day) {
			fmt.Fprintf(&b, " of %v", e.Modified)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// sortLines sorts the lines of list, because archive formats list entries in different orders.
func sortLines(list string) string {
	lines := strings.SplitAfter(list, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func read(r io.Reader, n int) (string, error) {
	m, err := Open(context.Background(), r, n)
	if err != nil {
		return "", err
	}
	defer m.Close()
	b, err := io.ReadAll(m)
	return string(b), err
}

func TestArchives(t *testing.T) {
	const tarList = "d/ -1 dir\nd/a.txt 4\nd/b c.txt 4\nd/link -1 -> a.txt\n"
	old := makeTar(some...)
	copy(old[257:], "\x00\x00\x00\x00\x00\x00\x00\x00") // the tar format of 1979 has no magic
	sum := 0
	for i, c := range old[:512] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int(c)
	}
	copy(old[148:], fmt.Sprintf("%06o\x00 ", sum))
	for _, tt := range []struct {
		name  string
		data  []byte
		kind  Kind
		list  string
		third string
	}{
		{"tar", makeTar(some...), KindArchive, tarList, "two\n"},
		{"tar without magic", old, KindArchive, tarList, "two\n"},
		{"tar.gz", gzipData(makeTar(some...)), KindArchive, tarList, "two\n"},
		{"tar.zst", compressZstd(makeTar(some...)), KindArchive, tarList, "two\n"},
		{"tar.xz", readTestdata(t, "t.tar.xz"), KindArchive, tarList, "two\n"},
		{"tar.bz2", readTestdata(t, "t.tar.bz2"), KindArchive, tarList, "two\n"},
		{"zip", makeZip(some...), KindArchive, "d/ -1 dir\nd/a.txt 4\nd/b c.txt 4\n", "two\n"},
		{"tar.Z", compressLZW(makeTar(some...), 16), KindArchive, tarList, "two\n"},
		{"Z", compressLZW([]byte("a text\n"), 12), KindCompressed, " -1\n", ""},
		{"gz", gzipData([]byte("a text\n")), KindCompressed, " -1\n", ""},
		{"gz in two parts", append(gzipData([]byte("a ")), gzipData([]byte("text\n"))...), KindCompressed, " -1\n", ""},
		{"zst", compressZstd([]byte("a text\n")), KindCompressed, " -1\n", ""},
		{"xz", readTestdata(t, "t.txt.xz"), KindCompressed, " -1\n", ""},
		{"bz2", readTestdata(t, "t.txt.bz2"), KindCompressed, " -1\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fetchtest.Equal(t, KindOf(tt.data[:min(len(tt.data), 4096)]), tt.kind, "kind")
			if got, err := list(iotest.OneByteReader(bytes.NewReader(tt.data))); sortLines(got) != sortLines(tt.list) || err != nil {
				t.Errorf("entries: got %q, %v, want %q", got, err, tt.list)
			}
			n, want := 3, tt.third
			if tt.kind == KindCompressed {
				n, want = 1, "a text\n"
			}
			fetchtest.Returns(t, want, "entry %d", n)(read(bytes.NewReader(tt.data), n))
			for n, why := range map[int]string{9: "no entry 9", 1: "a directory or a link"} {
				if _, err := read(bytes.NewReader(tt.data), n); (n > 1 || tt.kind == KindArchive) && (protocols.ReasonOf(err) != protocols.NotFound ||
					!strings.Contains(err.Error(), why)) {
					t.Errorf("entry %d: got the error %v, want NotFound with %q", n, err, why)
				}
			}
		})
	}
}

func TestNoArchives(t *testing.T) {
	for _, b := range []string{
		"", "text\n", "PK", "BZ", "\x1f\x8b\x08", "\x89PNG\r\n\x1a\n", strings.Repeat("\x00", 1024),
		strings.Repeat("0", 1024),
	} {
		fetchtest.Equal(t, KindOf([]byte(b)), KindNone, "KindOf(%.10q)", b)
		if got, err := list(strings.NewReader(b)); err == nil {
			t.Errorf("Entries of %.10q: got %q, want an error", b, got)
		}
	}
}

// zeros is a reader of the given number of zero octets.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

// sparseTar returns a tar with one sparse file, which has size octets but no data.
func sparseTar(size int64) []byte {
	var b bytes.Buffer
	member := func(name string, kind byte, data string) {
		h := make([]byte, tarBlock)
		copy(h, name)
		copy(h[100:], "0000644\x00")
		copy(h[124:], fmt.Sprintf("%011o\x00", len(data)))
		h[156] = kind
		copy(h[257:], "ustar\x0000")
		copy(h[148:], "        ")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		b.Write(h)
		b.WriteString(data)
		b.Write(make([]byte, -len(data)&(tarBlock-1)))
	}
	records := ""
	for _, r := range []string{"major=1", "minor=0", "name=a", fmt.Sprintf("realsize=%d", size)} {
		records += fmt.Sprintf("%d GNU.sparse.%s\n", len("00 GNU.sparse.")+len(r)+1, r)
	}
	member("records", tar.TypeXHeader, records)
	member("a", tar.TypeReg, "0\n"+strings.Repeat("\x00", tarBlock-2))
	b.Write(make([]byte, 2*tarBlock))
	return b.Bytes()
}

// lyingZip returns a zip with a file that declares a compressed and an uncompressed size of 1 TiB.
func lyingZip() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	out, _ := z.CreateRaw(&zip.FileHeader{Name: "zeros", Method: zip.Deflate, CompressedSize64: 1 << 40, UncompressedSize64: 1 << 40})
	w, _ := flate.NewWriter(out, flate.BestCompression)
	_, _ = io.Copy(w, &zeros{FreeOctets + 8<<20})
	_, _ = w.Close(), z.Close()
	return b.Bytes()
}

// longZip returns a zip whose directory lists n entries that do not exist.
func longZip(n int) []byte {
	b := append([]byte("PK\x03\x04"), make([]byte, 26)...)
	start := len(b)
	b = append(b, bytes.Repeat(append([]byte("PK\x01\x02"), make([]byte, 42)...), n)...)
	length := len(b) - start
	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(n))
	b = binary.LittleEndian.AppendUint16(b, uint16(n))
	b = binary.LittleEndian.AppendUint32(b, uint32(length))
	b = binary.LittleEndian.AppendUint32(b, uint32(start))
	return append(b, 0, 0)
}

// TestHostileArchives opens archives that were made to exhaust memory or time.
func TestHostileArchives(t *testing.T) {
	var bomb, zipBomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, _ = io.Copy(w, &zeros{FreeOctets + 8<<20})
	_ = w.Close()
	z := zip.NewWriter(&zipBomb)
	out, _ := z.Create("zeros")
	_, _ = io.Copy(out, &zeros{FreeOctets + 8<<20})
	_ = z.Close()
	var tarBomb bytes.Buffer
	packed := gzip.NewWriter(&tarBomb)
	tw := tar.NewWriter(packed)
	_ = tw.WriteHeader(&tar.Header{Name: "zeros", Size: FreeOctets + 8<<20, Typeflag: tar.TypeReg})
	_, _ = io.Copy(tw, &zeros{FreeOctets + 8<<20})
	_ = tw.WriteHeader(&tar.Header{Name: "after", Typeflag: tar.TypeReg})
	_, _ = tw.Close(), packed.Close()
	encrypted := makeZip(some...)
	for _, magic := range []string{"PK\x03\x04", "PK\x01\x02"} { // set the encryption bit in every header
		for i, at := 0, 6+2*strings.Count(magic, "\x01"); ; i++ {
			n := bytes.Index(encrypted[i:], []byte(magic))
			if n < 0 {
				break
			}
			i += n
			encrypted[i+at] |= 1
		}
	}
	whole := makeTar(some...)
	for _, tt := range []struct {
		name   string
		data   []byte
		n      int // number of the opened entry; 0: the list
		reason protocols.Reason
		why    string
	}{
		{"a bomb", bomb.Bytes(), 1, protocols.TooBig, "grows to more than"},
		{"a bomb in a zip", zipBomb.Bytes(), 1, protocols.TooBig, "grows to more than"},
		{"a bomb in a tar, to be passed over", tarBomb.Bytes(), 0, protocols.TooBig, "grows to more than"},
		{"a hole in a tar", sparseTar(1 << 40), 1, protocols.TooBig, "grows to more than"},
		{"a hole in a compressed tar", gzipData(sparseTar(1 << 40)), 1, protocols.TooBig, "grows to more than"},
		{"a bomb in a zip that lies", lyingZip(), 1, protocols.TooBig, "grows to more than"},
		{"a zip with a huge list", longZip(maxDirectory/46 + 1), 0, protocols.TooBig, "list of entries"},
		{"cut off", whole[:1026], 0, protocols.Damaged, "ends too early"},
		{"cut off, compressed", gzipData(whole)[:100], 0, protocols.Damaged, "ends too early"},
		{"a zip that is cut off", makeZip(some...)[:100], 0, protocols.Damaged, "zip"},
		{"an encrypted zip", encrypted, 2, protocols.Damaged, "encrypted"},
		{"a dictionary of 1 GiB", readTestdata(t, "huge-dictionary.xz"), 1, protocols.Damaged, "dictionary"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var err error
			if tt.n == 0 {
				_, err = list(bytes.NewReader(tt.data))
			} else {
				_, err = read(bytes.NewReader(tt.data), tt.n)
			}
			if protocols.ReasonOf(err) != tt.reason || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("got the error %v, want reason %v with %q", err, tt.reason, tt.why)
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "gofer-archive-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files that were not removed: %q, %v", left, err)
	}
}

// TestSharedSizeLimit checks that a zip inside a zip shares the size limit of the outer zip.
func TestSharedSizeLimit(t *testing.T) {
	var outer bytes.Buffer
	z := zip.NewWriter(&outer)
	inner := makeZip(some...)
	w, _ := z.CreateHeader(&zip.FileHeader{Name: "inner.zip"})
	_, _ = w.Write(inner)
	_ = z.Close()
	for room, want := range map[int]bool{outer.Len() + len(inner): true, outer.Len() + len(inner) - 1: false} {
		left := new(atomic.Int64)
		left.Store(int64(room))
		ctx := context.WithValue(t.Context(), sizeLimitKey{}, left)
		m, err := Open(ctx, iotest.HalfReader(bytes.NewReader(outer.Bytes())), 1)
		fetchtest.NoError(t, err)
		got := 0
		for _, err = range Entries(ctx, m) {
			got++
		}
		_ = m.Close()
		if want && (got != 3 || err != nil) ||
			!want && (protocols.ReasonOf(err) != protocols.TooBig || !strings.Contains(err.Error(), "with the archives around it")) {
			t.Errorf("size limit of %d octets: got %d entries, %v, want success %v", room, got, err, want)
		}
	}
}

// TestBrokenTransfer checks that Entries returns a read error of the archive unchanged.
func TestBrokenTransfer(t *testing.T) {
	for _, cause := range []error{context.Canceled, &protocols.Error{Reason: protocols.IdleTimeout}} {
		for _, data := range [][]byte{makeTar(some...), gzipData(makeTar(some...)), makeZip(some...)} {
			r := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(cause))
			fetchtest.FailsWith(t, cause)(list(r))
		}
	}
}

// TestCloseEarly closes an entry before its end.
func TestCloseEarly(t *testing.T) {
	m := fetchtest.Must(Open(t.Context(), bytes.NewReader(makeTar(file{"big", strings.Repeat("x", 1<<20)})), 1))(t)
	if _, err := io.ReadFull(m, make([]byte, 10)); err != nil || m.Size != 1<<20 || m.Name != "big" {
		t.Errorf("the first 10 octets of the entry: got error %v, entry %+v; want the entry \"big\" of 1 MiB", err, m.Entry)
	}
	fetchtest.NoError(t, m.Close())
}

func FuzzEntries(f *testing.F) {
	for _, b := range [][]byte{
		makeTar(some...), gzipData(makeTar(some...)), makeZip(some...), compressZstd([]byte("x")),
		readTestdata(f, "t.tar.xz"), readTestdata(f, "t.txt.bz2"),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		KindOf(b)
		var e *protocols.Error
		if _, err := list(bytes.NewReader(b)); err != nil && !errors.As(err, &e) {
			t.Errorf("Entries: got %v, want a *protocols.Error", err)
		}
		if _, err := read(bytes.NewReader(b), 1); err != nil && !errors.As(err, &e) {
			t.Errorf("Open: got %v, want a *protocols.Error", err)
		}
	})
}
