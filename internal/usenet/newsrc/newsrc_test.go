package newsrc

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
)

// slrnFile was written by slrn 1.0.3.
const slrnFile = "gofer.announce:\ngofer.help! 1,11\ngofer.test!\nlocal.tales:\ngofer.quiet!\n"

// tinFile is slrnFile as rewritten by tin 2.6.2 after reading an article.
const tinFile = "gofer.announce: 1,3-4\ngofer.help! 1,11\ngofer.test! \nlocal.tales: \ngofer.quiet! \n"

// oddFile has lines of several newsreaders and editors.
const oddFile = "options -x\n\ncomp.lang.go: 1-4711,4713,4720-4729\r\n" +
	"alt.test! 1-20\nde.alt.gruppenkasper:1-3\n# a note\nbroken line\ncontrol!"

func TestFile(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		set        Group
		want       string // "" means unchanged
	}{
		{"as it is", oddFile, Group{"alt.test", false, Numbers{{1, 20}}}, ""},
		{"a number", oddFile, Group{"alt.test", false, Numbers{{1, 21}}}, strings.Replace(oddFile, "1-20", "1-21", 1)},
		{
			"the end of the line stays", oddFile,
			Group{"comp.lang.go", true, Numbers{{1, 4729}}},
			strings.Replace(oddFile, "1-4711,4713,4720-4729", "1-4729", 1),
		},
		{"no blank", oddFile, Group{"de.alt.gruppenkasper", true, Numbers{{1, 4}}}, strings.Replace(oddFile, ":1-3", ": 1-4", 1)},
		{"subscribe", slrnFile, Group{"gofer.help", true, Numbers{{1, 1}, {11, 11}}}, strings.Replace(slrnFile, "help!", "help:", 1)},
		{"nothing is read, of tin", tinFile, Group{"gofer.test", false, nil}, ""},
		{"of tin", tinFile, Group{"local.tales", true, Numbers{{2, 2}}}, strings.Replace(tinFile, "tales: ", "tales: 2", 1)},
		{"none is left", slrnFile, Group{"gofer.help", false, nil}, strings.Replace(slrnFile, "help! 1,11", "help!", 1)},
		{"a new group", slrnFile, Group{"a.b", true, Numbers{{5, 5}}}, slrnFile + "a.b: 5\n"},
		{"a last line without end", "a: 1", Group{"b", true, nil}, "a: 1\nb:\n"},
		{"lines that end in CR LF", "a: 1\r\n", Group{"b", false, nil}, "a: 1\r\nb!\r\n"},
		{"what cannot be read is kept", "a: 1,x-2,3\n", Group{"a", true, Numbers{{1, 3}}}, "a: 1-3,x-2\n"},
		{"the first of two", "a: 1\na: 2\n", Group{"a", true, Numbers{{9, 9}}}, "a: 9\na: 2\n"},
		{
			"a number that is too large", "a: 1\n",
			Group{"a", true, Numbers{{1, 1}}.Union(Numbers{{2, math.MaxUint64}, {math.MaxUint64, math.MaxUint64}})},
			"a: 1-9223372036854775807\n",
		},
		{"an empty file", "", Group{"a", true, Numbers{{1, 2}}}, "a: 1-2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Parse([]byte(tt.file))
			fetchtest.Equal(t, string(f.Bytes()), tt.file, "unchanged")
			f.Set(tt.set)
			if tt.want == "" {
				tt.want = tt.file
			}
			fetchtest.Equal(t, string(f.Bytes()), tt.want)
			g, ok := Parse(f.Bytes()).Group(tt.set.Name)
			if !ok || g.Subscribed != tt.set.Subscribed || g.Read.String() != tt.set.Read.String() {
				t.Errorf("read back: got %+v, want %+v", g, tt.set)
			}
		})
	}
}

// TestInvalidGroupNames checks that invalid names of groups from a server change nothing.
func TestInvalidGroupNames(t *testing.T) {
	for _, name := range []string{"comp.lang.go:1-99999,", "a!", "a b", "a\nb", "#a", "options", ""} {
		f := Parse([]byte("x: 1\n"))
		f.Set(Group{Name: name, Read: Numbers{{5, 5}}})
		fetchtest.Equal(t, string(f.Bytes()), "x: 1\n", "%q", name)
	}
}

// TestUnread checks the count of unread articles. The server's count of articles bounds it, because most numbers of
// a group may have no article.
func TestUnread(t *testing.T) {
	for _, tt := range []struct{ low, high, count, want uint64 }{
		{1, 0, 9, 0},
		{0, 0, 9, 0},
		{9, 3, 9, 0},
		{1, 1, 1, 0},
		{4, 4, 1, 1},
		{1, 4, 4, 1},
		{0, 6, 6, 2},
		{2, 9, 8, 5},
		{8, 9, 2, 2},
		{1, 50_000, 3, 3},
		{1, 6, 1, 1},
		{1, 50_000, 0, 0},
		{1, 6, 100, 2},
	} {
		g := Group{Read: Numbers{{1, 3}, {5, 5}}}
		fetchtest.Equal(t, g.Unread(tt.low, tt.high, tt.count), tt.want, "%d articles from %d to %d", tt.count, tt.low, tt.high)
	}
}

// TestNumbers compares Numbers with a set of single numbers.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (n Numbers, set [40]bool) {
		for range r.IntN(6) {
			from := r.Uint64N(36)
			to := from + r.Uint64N(4)
			n = n.Union(Numbers{{from, to}})
			for k := from; k <= to; k++ {
				set[k] = true
			}
		}
		return n, set
	}
	for range 5000 {
		a, inA := random()
		b, inB := random()
		with, without := a.Union(b), a.Subtract(b)
		var count uint64
		for x := range uint64(40) {
			if got, want := with.Has(x), inA[x] || inB[x]; got != want {
				t.Fatalf("(%s).Union(%s).Has(%d) = %v; want %v", a, b, x, got, want)
			}
			if got, want := without.Has(x), inA[x] && !inB[x]; got != want {
				t.Fatalf("(%s).Subtract(%s) = %s; Has(%d) = %v; want %v", a, b, without, x, got, want)
			}
			missing := x
			for missing < 40 && inA[missing] {
				missing++
			}
			if got := a.Missing(x); got != missing {
				t.Fatalf("(%s).Missing(%d) = %d; want %d", a, x, got, missing)
			}
			if inA[x] && x >= 5 && x <= 30 {
				count++
			}
		}
		if got := a.Count(5, 30); got != count {
			t.Fatalf("(%s).Count(5, 30) = %d; want %d", a, got, count)
		}
		for _, n := range []Numbers{with, without} {
			if back, rest := parseNumbers(n.String()); back.String() != n.String() || rest != nil || union(back).String() != n.String() {
				t.Fatalf("%s is read back as %s, %q", n, back, rest)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		slrnFile, tinFile, oddFile, "a: 9-1,5-5,0,18446744073709551615", "a:1-5,3-9,10\n:x\n!\n\x00: 1",
		"a! ,13-24,29\n",
	} {
		f.Add([]byte(s), "a", uint64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, name string, n uint64) {
		file := Parse(data)
		if got := string(file.Bytes()); got != string(data) {
			t.Fatalf("got %q, want %q", got, data)
		}
		groups := file.Groups()
		if n >>= 1; len(groups) > 0 {
			name = groups[0].Name
		} else if again, _, _, ok := splitLine(name + ":"); !ok || again != name {
			return
		}
		g, _ := file.Group(name)
		g.Read = g.Read.Union(Numbers{{n, n}})
		file.Set(g)
		again := Parse(file.Bytes())
		got, ok := again.Group(name)
		if !ok || got.Read.String() != g.Read.String() || got.Subscribed != g.Subscribed {
			t.Fatalf("set %+v, got %+v of %q", g, got, file.Bytes())
		}
		for _, other := range groups {
			if o, _ := again.Group(other.Name); other.Name != name && o.Read.String() != other.Read.String() {
				t.Fatalf("%s has changed from %s to %s", other.Name, other.Read, o.Read)
			}
		}
	})
}

func storeAt(path string) *Store { return &Store{Path: func(string) string { return path }} }

func mark(s *Store, group string, n uint64) error {
	return s.Change("", func(f *File) {
		g, _ := f.Group(group)
		g.Read = g.Read.Union(Numbers{{n, n}})
		f.Set(g)
	})
}

// TestMain marks articles if TestEightPrograms has started the test binary.
func TestMain(m *testing.M) {
	path, k := os.Getenv("NEWSRC_TEST_FILE"), os.Getenv("NEWSRC_TEST_FIRST")
	if path == "" {
		os.Exit(m.Run())
	}
	first, _ := strconv.ParseUint(k, 10, 64)
	s := storeAt(path)
	for i := range uint64(20) {
		err := mark(s, "g"+strconv.FormatUint(i%3, 10), first+i*8)
		for errors.Is(err, userfile.ErrBusy) { // the mark is pending
			err = s.Close()
		}
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
	}
	os.Exit(0)
}

// TestEightPrograms checks that no mark is lost when eight programs mark articles in one file.
func TestEightPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".newsrc")
	fetchtest.NoError(t, os.WriteFile(path, []byte(oddFile), 0o600))
	var programs []*exec.Cmd
	for k := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NEWSRC_TEST_FILE="+path, "NEWSRC_TEST_FIRST="+strconv.Itoa(k+1))
		cmd.Stderr = os.Stderr
		fetchtest.NoError(t, cmd.Start())
		programs = append(programs, cmd)
	}
	for _, cmd := range programs {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	data := fetchtest.Must(os.ReadFile(path))(t)
	if !strings.HasPrefix(string(data), oddFile) {
		t.Errorf("the file is %q, want the old lines unchanged", data)
	}
	var all Numbers
	for _, g := range Parse(data).Groups() {
		if g.Name[0] == 'g' {
			all = all.Union(g.Read)
		}
	}
	fetchtest.Equal(t, all.String(), "1-160", "marked")
}

// TestSlrnIsRunning checks that marks are kept while slrn locks the file, and written after slrn
// ends.
func TestSlrnIsRunning(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("slrn is a program of Unix")
	}
	path := filepath.Join(t.TempDir(), ".newsrc")
	s := storeAt(path)
	lock := func(pid int) {
		fetchtest.NoError(t, os.WriteFile(path+"-lock", []byte(strconv.Itoa(pid)), 0o600))
	}
	lock(os.Getppid())
	var busy *BusyError
	if err := mark(s, "a", 1); !errors.As(err, &busy) || busy.PID != os.Getppid() {
		t.Fatalf("got %v, want a BusyError with the process ID", err)
	}
	if got := "not written: " + (&BusyError{PID: 1 << 22}).Error(); len(got) > 78 { // a status line
		t.Errorf("too long for 80 columns: %q", got)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was written")
	}
	fetchtest.NoError(t, storeAt(path).Change("", func(*File) {}), "nothing to write")
	if f, err := s.File(""); err != nil || len(f.Groups()) != 1 {
		t.Errorf("File does not return the pending mark: %v", err)
	}
	fetchtest.NoError(t, os.WriteFile(path+"-lock", nil, 0o600))
	if err := mark(s, "a", 2); !errors.As(err, &busy) || busy.PID != 0 || !strings.Contains(err.Error(), "slrn is running") {
		t.Fatalf("a lock without an ID: got %v, want a BusyError without a process ID", err)
	}
	old := time.Now().Add(-2 * maxEmptyLockAge)
	fetchtest.NoError(t, os.Chtimes(path+"-lock", old, old))
	fetchtest.NoError(t, mark(s, "a", 2))
	lock(1 << 30) // the lock of a process that was killed
	fetchtest.NoError(t, mark(s, "a", 3))
	lock(os.Getpid()) // the lock of a killed process whose ID this process now has
	fetchtest.NoError(t, s.Change("", func(*File) {
		if data, _ := os.ReadFile(path + "-lock"); string(data) != strconv.Itoa(os.Getpid()) {
			t.Errorf("during Change the lock is %q, want the ID of this process", data)
		}
	}))
	if data, _ := os.ReadFile(path); string(data) != "a! 1-3\n" {
		t.Errorf("got %q, want %q", data, "a! 1-3\n")
	}
	if _, err := os.Stat(path + "-lock"); err == nil {
		t.Error("the lock file was not removed")
	}
}
