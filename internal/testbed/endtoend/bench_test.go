package endtoend

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/creack/pty"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// The benchmarks of the whole program run the built binary in a terminal of 80 by 24. They measure
// the time that a user waits, including the start of the process. They fail only if the screen is
// never drawn.
//
//	go test -run '^$' -bench Program -benchtime 20x ./internal/testbed/endtoend

// benchTerminal is gofer running in a pseudo-terminal.
type benchTerminal struct {
	b         *testing.B
	cmd       *exec.Cmd
	tty       *os.File
	startTime time.Time
	out       chan []byte
	seen      []byte
}

// startBench starts gofer with url and a new home directory.
func startBench(b *testing.B, url string) *benchTerminal {
	b.Helper()
	return startBenchIn(b, b.TempDir(), url)
}

// startBenchIn starts gofer with url and the home directory home.
func startBenchIn(b *testing.B, home, url string) *benchTerminal {
	b.Helper()
	cmd := goferCommand(b.Context(), "gofer", url)
	config := filepath.Join(home, ".config", "gofer")
	if err := os.MkdirAll(config, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("newest_articles = 100_000\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd.Dir = home // the folder of saved files
	cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + home, "PATH=" + os.Getenv("PATH")}
	s := &benchTerminal{b: b, cmd: cmd, out: make(chan []byte, 1024), startTime: time.Now()}
	tty := fetchtest.Must(pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80}))(b)
	s.tty = tty
	go func() {
		defer close(s.out)
		for {
			buf := make([]byte, 32<<10)
			n, err := tty.Read(buf)
			if n > 0 {
				s.out <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// waitText reads until the output of gofer contains want. It returns the time since start.
func (s *benchTerminal) waitText(start time.Time, want string) time.Duration {
	s.b.Helper()
	timeout := time.After(30 * time.Second)
	for {
		if i := bytes.Index(s.seen, []byte(want)); i >= 0 {
			s.seen = s.seen[i+len(want):]
			return time.Since(start)
		}
		select {
		case p, ok := <-s.out:
			if !ok {
				s.b.Fatalf("gofer ended before it showed %q: %q", want, s.seen)
			}
			s.seen = append(s.seen, p...)
		case <-timeout:
			s.b.Fatalf("gofer does not show %q: %.500q", want, s.seen)
		}
	}
}

// typeKey types a key, and returns the time until the first output of gofer.
func (s *benchTerminal) typeKey(k string) time.Duration {
	s.b.Helper()
	for len(s.out) > 0 {
		<-s.out
	}
	from := time.Now()
	if _, err := s.tty.WriteString(k); err != nil {
		s.b.Fatal(err)
	}
	select {
	case <-s.out:
	case <-time.After(10 * time.Second):
		s.b.Fatalf("no answer to the key %q", k)
	}
	return time.Since(from)
}

// readMaxMemory returns the maximum resident memory of the process in MB.
func (s *benchTerminal) readMaxMemory() float64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb / 1000
		}
	}
	return 0
}

func (s *benchTerminal) quit() {
	_, _ = s.tty.WriteString("q")
	go func() {
		for range s.out {
		}
	}()
	_ = s.cmd.Wait()
	_ = s.tty.Close()
}

func startHundredItems(b *testing.B) *demo.GopherServer {
	b.Helper()
	var menu strings.Builder
	menu.WriteString("A menu of a hundred items\n")
	for i := range 100 {
		menu.WriteString("0Item " + strconv.Itoa(i) + "\t/text.txt\n")
	}
	server, err := demo.StartGopher(fstest.MapFS{
		"gophermap": {Data: []byte(menu.String())},
		"text.txt":  {Data: []byte("text\n")},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() })
	return server
}

// reportMedian reports the median of the times in milliseconds.
func reportMedian(b *testing.B, times []time.Duration, name string) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms-"+name)
}

func BenchmarkProgramFirstScreen(b *testing.B) {
	server := startHundredItems(b)
	var times []time.Duration
	for b.Loop() {
		s := startBench(b, "gopher://"+server.Addr()+"/1")
		times = append(times, s.waitText(s.startTime, "Item 12"))
		s.quit()
	}
	reportMedian(b, times, "to-first-screen")
}

func BenchmarkProgramKey(b *testing.B) {
	server := startHundredItems(b)
	s := startBench(b, "gopher://"+server.Addr()+"/1")
	s.waitText(s.startTime, "Item 12")
	time.Sleep(300 * time.Millisecond)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		times = append(times, s.typeKey([]string{"j", "k"}[i%2]))
		time.Sleep(30 * time.Millisecond)
	}
	s.quit()
	reportMedian(b, times, "key-to-screen")
}

// BenchmarkProgramKeyWhileBusy opens the list of actions on a screen of 200 by 60 while a page
// and two files are loading.
func BenchmarkProgramKeyWhileBusy(b *testing.B) {
	addr := startEndlessServer(b)
	s := startBench(b, "gopher://"+addr+"/1/menu")
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 60, Cols: 200}); err != nil {
		b.Fatal(err)
	}
	s.waitText(s.startTime, "line 30 ")
	for _, keys := range []string{"d", "jd"} {
		if _, err := s.tty.WriteString(keys); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(500 * time.Millisecond)
	var times []time.Duration
	for b.Loop() {
		for len(s.out) > 0 {
			<-s.out
		}
		s.seen = nil
		from := time.Now()
		if _, err := s.tty.WriteString(":"); err != nil {
			b.Fatal(err)
		}
		times = append(times, s.waitText(from, "Action"))
		if _, err := s.tty.WriteString("\x1b"); err != nil {
			b.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = s.cmd.Process.Kill()
	s.quit()
	reportMedian(b, times, "key-to-screen")
}

// startEndlessServer starts a Gopher server and returns its address. Its menu begins with two
// files. The menu and the files are endless, and the server sends a hundred pieces of each every
// second.
func startEndlessServer(b *testing.B) string {
	b.Helper()
	listener := fetchtest.CloseAtEnd(net.Listen("tcp", "127.0.0.1:0"))(b)
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	serve := func(conn net.Conn) {
		defer conn.Close()
		selector, _ := bufio.NewReader(conn).ReadString('\n')
		menu := strings.HasPrefix(selector, "/menu")
		if menu {
			fmt.Fprintf(conn, "9A file\t/a\t%s\t%s\r\n9B file\t/b\t%s\t%s\r\n", host, port, host, port)
		}
		for i := 0; ; i += 50 {
			piece := bytes.Repeat([]byte{0, 1, 2, 3}, 5000)
			if menu {
				piece = nil
				for k := range 50 {
					piece = fmt.Appendf(piece, "0line %d of the menu\t/0\t%s\t%s\r\n", i+k, host, port)
				}
			}
			if _, err := conn.Write(piece); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return listener.Addr().String()
}

func BenchmarkProgramMillionLines(b *testing.B) {
	server := startHundredItems(b)
	var first, whole []time.Duration
	var most float64
	for b.Loop() {
		s := startBench(b, "gopher://"+server.Addr()+"/1/big/1000000")
		first = append(first, s.waitText(s.startTime, "Item number 0000012"))
		whole = append(whole, s.waitText(s.startTime, "Enter open")) // these hints appear when the load has ended
		most = max(most, s.readMaxMemory())
		s.quit()
	}
	reportMedian(b, first, "to-first-screen")
	reportMedian(b, whole, "to-whole")
	b.ReportMetric(most, "MB-resident")
}

// BenchmarkProgramLargeText opens a text of 100 MB.
func BenchmarkProgramLargeText(b *testing.B) {
	server := startHundredItems(b)
	var first []time.Duration
	for b.Loop() {
		s := startBench(b, "gopher://"+server.Addr()+"/0/big/text/1666667")
		first = append(first, s.waitText(s.startTime, "line number 0000012"))
		s.quit()
	}
	reportMedian(b, first, "to-first-screen")
}

// BenchmarkProgramLargeGroup opens a group of 100,000 articles and fetches all of them.
func BenchmarkProgramLargeGroup(b *testing.B) {
	addr := startLargeGroup(b, 100_000)
	var first, whole []time.Duration
	var most float64
	for b.Loop() {
		s := startBench(b, "nntp://"+addr+"/lab.big")
		first = append(first, s.waitText(s.startTime, "Lab Poster"))
		whole = append(whole, s.waitText(s.startTime, "Enter open"))
		most = max(most, s.readMaxMemory())
		s.quit()
	}
	reportMedian(b, first, "to-first-screen")
	reportMedian(b, whole, "to-whole")
	b.ReportMetric(most, "MB-resident")
}

// BenchmarkProgramLargeGroupAgain opens a group of 100,000 articles. An earlier run of gofer has
// copied their overview.
func BenchmarkProgramLargeGroupAgain(b *testing.B) {
	addr, home := startLargeGroup(b, 100_000), b.TempDir()
	s := startBenchIn(b, home, "nntp://"+addr+"/lab.big")
	s.waitText(s.startTime, "Enter open")
	s.quit()
	var first, whole []time.Duration
	for b.Loop() {
		s := startBenchIn(b, home, "nntp://"+addr+"/lab.big")
		first = append(first, s.waitText(s.startTime, "Lab Poster"))
		whole = append(whole, s.waitText(s.startTime, "Enter open"))
		s.quit()
	}
	reportMedian(b, first, "to-first-screen")
	reportMedian(b, whole, "to-whole")
}

// BenchmarkProgramMillionArticles opens a group of a million articles and fetches the newest
// 100,000. It measures the time between the answer to GROUP and the first screen.
func BenchmarkProgramMillionArticles(b *testing.B) {
	groupSelected := make(chan time.Time, 1)
	addr := fetchtest.Serve(b, func(conn net.Conn) { serveGroup(conn, 1_000_000, groupSelected) })
	var first []time.Duration
	for b.Loop() {
		s := startBench(b, "nntp://"+addr+"/lab.big")
		s.waitText(s.startTime, "Lab Poster")
		first = append(first, time.Since(<-groupSelected))
		s.quit()
	}
	reportMedian(b, first, "to-first-screen")
}

// BenchmarkProgramGroups opens the list of 100,000 groups with their descriptions, and types a
// filter.
func BenchmarkProgramGroups(b *testing.B) {
	lists := map[string]string{"LIST ACTIVE": "many.group%05d 12 1 y\r\n", "LIST NEWSGROUPS": "many.group%05d\tA group of many\r\n"}
	for command, format := range lists {
		text := []byte("215 list\r\n")
		for i := range 100_000 {
			text = fmt.Appendf(text, format, i)
		}
		lists[command] = string(text) + ".\r\n"
	}
	addr := fetchtest.Serve(b, func(conn net.Conn) { serveGroups(conn, lists) })
	var first, whole, keys []time.Duration
	for b.Loop() {
		s := startBench(b, "news://"+addr+"/*")
		first = append(first, s.waitText(s.startTime, "many.group"))
		whole = append(whole, s.waitText(s.startTime, "Enter open"))
		s.typeKey("&")
		for _, c := range "group99" {
			keys = append(keys, s.typeKey(string(c)))
		}
		s.typeKey("\r")
		s.quit()
	}
	reportMedian(b, first, "to-first-screen")
	reportMedian(b, whole, "to-whole")
	reportMedian(b, keys, "a-key")
}

func serveGroups(conn net.Conn, lists map[string]string) {
	fmt.Fprint(conn, "200 ready\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		text, ok := lists[in.Text()]
		if !ok {
			text = "500 unknown\r\n"
		}
		fmt.Fprint(conn, text)
	}
}

// startLargeGroup starts a news server with one group of n articles, in threads of eight, and
// returns its address.
func startLargeGroup(b *testing.B, n int) string {
	b.Helper()
	return fetchtest.Serve(b, func(conn net.Conn) { serveGroup(conn, n, nil) })
}

// formatOverview returns the overview line of article i+1 of a large group.
func formatOverview(i int) string {
	refs := ""
	if i%8 > 0 {
		refs = fmt.Sprintf("<big-%d@lab.example.invalid> <big-%d@lab.example.invalid>", i-i%8, i-1)
	}
	return fmt.Sprintf("%d\tRe: Big topic %d\tLab Poster <lab@example.invalid>\tFri, "+
		"17 Jan 2025 20:04:09 -0000\t<big-%d@lab.example.invalid>\t%s\t357\t1\tXref: x lab.big:%d\r\n",
		i+1, i/8, i, refs, i+1)
}

// serveGroup serves a group of n articles and sends the time of each GROUP command to
// groupSelected.
func serveGroup(conn net.Conn, n int, groupSelected chan<- time.Time) {
	w := bufio.NewWriterSize(conn, 64<<10)
	fmt.Fprint(w, "200 ready\r\n")
	for in := bufio.NewScanner(conn); w.Flush() == nil && in.Scan(); {
		f := strings.Fields(in.Text())
		switch {
		case len(f) == 2 && f[0] == "GROUP":
			fmt.Fprintf(w, "211 %d 1 %d %s\r\n", n, n, f[1])
			select {
			case groupSelected <- time.Now():
			default:
			}
		case len(f) == 2 && f[0] == "OVER":
			var first, last int
			_, _ = fmt.Sscanf(f[1], "%d-%d", &first, &last)
			fmt.Fprint(w, "224 overview\r\n")
			for i := max(first, 1) - 1; i < min(last, n); i++ {
				_, _ = w.WriteString(formatOverview(i))
			}
			fmt.Fprint(w, ".\r\n")
		default:
			fmt.Fprint(w, "500 unknown\r\n")
		}
	}
}

// BenchmarkProgramTenTabs measures the memory of ten tabs with ordinary pages.
func BenchmarkProgramTenTabs(b *testing.B) {
	files := fstest.MapFS{}
	menu := "A menu\n"
	for i := range 10 {
		menu += fmt.Sprintf("0Text %d\t/%d.txt\n", i, i)
		text := strings.Repeat("A line of a text that is as long as lines of texts are.\n", 1000)
		files[fmt.Sprintf("%d.txt", i)] = &fstest.MapFile{Data: []byte(text + "The end.\n")}
	}
	files["gophermap"] = &fstest.MapFile{Data: []byte(menu)}
	server := fetchtest.CloseAtEnd(demo.StartGopher(files))(b)
	var most float64
	for b.Loop() {
		s := startBench(b, "gopher://"+server.Addr()+"/1")
		s.waitText(s.startTime, "Text 9")
		for range 9 {
			_, _ = s.tty.WriteString("tj")
			time.Sleep(50 * time.Millisecond)
		}
		for i := range 9 {
			_, _ = s.tty.WriteString("]G")
			s.waitText(time.Now(), fmt.Sprintf("%d.txt - gofer", i)) // title of the window
		}
		most = max(most, s.readMaxMemory())
		s.quit()
	}
	b.ReportMetric(most, "MB-resident")
}
