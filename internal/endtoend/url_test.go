package endtoend

import (
	"bytes"
	"encoding/json"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"testing"

	"gofer/internal/fetchtest"
)

// decode reads JSON values from b, numbers as they are written.
func decode[T any](t *testing.T, b []byte) []T {
	t.Helper()
	var all []T
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for d.More() {
		var v T
		fetchtest.NoError(t, d.Decode(&v))
		all = append(all, v)
	}
	return all
}

// questions makes a question of each mode of each vector.
func questions(vectors []map[string]any) (asked, of []map[string]any) {
	for _, v := range vectors {
		modes := []any{v["mode"]}
		if v["mode"] == "both" {
			modes = []any{"strict", "lenient"}
		}
		for _, mode := range modes {
			q := map[string]any{"mode": mode}
			for _, k := range []string{"input", "context", "dialect", "base", "default_news_host", "native"} {
				if x, ok := v[k]; ok {
					q[k] = x
				}
			}
			asked, of = append(asked, q), append(of, v)
		}
	}
	return asked, of
}

// TestBatchVectors asks the program itself about all vectors, in one run.
func TestBatchVectors(t *testing.T) {
	b := fetchtest.Must(os.ReadFile("../../urlcore/testdata/vectors.json"))(t)
	asked, vectors := questions(decode[[]map[string]any](t, b)[0])
	var in, stderr bytes.Buffer
	for _, q := range asked {
		fetchtest.NoError(t, json.NewEncoder(&in).Encode(q))
	}
	cmd := goferCommand(t.Context(), "gofer", "url", "batch")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.Stdin, cmd.Stderr = &in, &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("gofer url batch: %v\n%s", err, stderr.String())
	}
	answers := decode[map[string]any](t, out)
	if len(answers) != len(asked) || len(asked) < 796 || bytes.Count(out, []byte("\n")) != len(asked) {
		t.Fatalf("got %d answers on %d lines to %d questions", len(answers), bytes.Count(out, []byte("\n")), len(asked))
	}
	notAsserted := []string{"id", "group", "rule", "input", "context", "mode", "dialect", "base", "default_news_host", "native", "note"}
	for i, a := range answers {
		for k, want := range vectors[i] {
			if slices.Contains(notAsserted, k) {
				continue
			}
			if got, ok := a[k]; !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s (%s): %q: %s = %v, want %v", vectors[i]["id"], asked[i]["mode"], asked[i]["input"], k, got, want)
			}
		}
	}
}

// TestURLInterrupt ends a command that waits for standard input, after it has
// answered what it has got.
func TestURLInterrupt(t *testing.T) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt) // or gofer inherits that a shell has its jobs ignore it
	defer signal.Stop(caught)
	cmd := goferCommand(t.Context(), "gofer", "url", "canon")
	in := fetchtest.Must(cmd.StdinPipe())(t)
	out := fetchtest.Must(cmd.StdoutPipe())(t)
	fetchtest.NoError(t, cmd.Start())
	fetchtest.Must(in.Write([]byte("NEWS:a.b\n")))(t)
	buf := make([]byte, 64)
	if n, err := out.Read(buf); string(buf[:n]) != "news:a.b\n" {
		t.Errorf("got %q, %v before the end of standard input", buf[:n], err)
	}
	fetchtest.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err == nil || err.Error() != "signal: interrupt" {
		t.Errorf("it ended with %v, want the interrupt", err)
	}
}
