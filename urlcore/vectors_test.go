package urlcore_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gofer/internal/cli/urlbatch"
	"gofer/internal/testbed/fetchtest"
)

// questionKeys are the keys of a vector that describe the question. An answer must have the same
// values for all other keys.
var questionKeys = []string{"id", "group", "rule", "input", "context", "mode", "dialect", "base", "default_news_host", "native", "note"}

func readVectors(t testing.TB, name string) []map[string]any {
	t.Helper()
	b := fetchtest.Must(os.ReadFile(name))(t)
	var v []map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	fetchtest.NoError(t, d.Decode(&v))
	return v
}

// runQuestions sends the questions to [urlbatch.Run] and returns the answers.
func runQuestions(t testing.TB, questions []map[string]any) []map[string]any {
	t.Helper()
	var in, out bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, q := range questions {
		fetchtest.NoError(t, enc.Encode(q))
	}
	fetchtest.NoError(t, urlbatch.Run(&in, &out))
	fetchtest.Equal(t, bytes.Count(out.Bytes(), []byte("\n")), len(questions), "lines of answers")
	var answers []map[string]any
	d := json.NewDecoder(&out)
	d.UseNumber()
	for d.More() {
		var a map[string]any
		fetchtest.NoError(t, d.Decode(&a))
		answers = append(answers, a)
	}
	if len(answers) != len(questions) {
		t.Fatalf("got %d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

func TestVectors(t *testing.T) {
	var questions, vectors []map[string]any
	for _, v := range readVectors(t, "testdata/vectors.json") {
		modes := []string{v["mode"].(string)}
		if modes[0] == "both" {
			modes = []string{"strict", "lenient"}
		}
		for _, mode := range modes {
			q := map[string]any{"mode": mode}
			for _, k := range []string{"input", "context", "dialect", "base", "default_news_host", "native"} {
				if x, ok := v[k]; ok {
					q[k] = x
				}
			}
			questions, vectors = append(questions, q), append(vectors, v)
		}
	}
	if len(questions) < 796 {
		t.Errorf("got %d questions, want 796 or more", len(questions))
	}
	for i, a := range runQuestions(t, questions) {
		v := vectors[i]
		for k, want := range v {
			if got, ok := a[k]; !slices.Contains(questionKeys, k) && (!ok || !reflect.DeepEqual(got, want)) {
				t.Errorf(
					"%s (%s, %s): %q: %s = %v (in the answer: %t), want %v (%v)", v["id"], v["rule"],
					questions[i]["mode"], v["input"], k, got, ok, want, a["reason"],
				)
			}
		}
		// A vector with parts or a native item has all keys of the answer.
		isComplete := v["parts"] != nil || v["native"] != nil
		if isComplete && v["ok"] == true && v["canonical_lenient"] != a["canonical_lenient"] {
			t.Errorf("%s: canonical_lenient = %v, want %v", v["id"], a["canonical_lenient"], v["canonical_lenient"])
		}
	}
}

// opaqueExamples are the canonical forms of examples that are not URLs in the drafts. In RFC 1738,
// section 2.1, they are URLs. They consist of a scheme name, a colon, and a scheme-specific part. A
// scheme name may contain dots, so the name of an unknown scheme can look like a host.
var opaqueExamples = map[string]string{
	"xxx.yyy.zz.edu:/pub.aa.bb.cc":     "xxx.yyy.zz.edu:/pub.aa.bb.cc",     // this was the usual notation for files before URLs
	"PR:aftp/xx.yy.edu/pub/doc/README": "pr:aftp/xx.yy.edu/pub/doc/README", // this syntax was rejected
}

func TestExamples(t *testing.T) {
	for _, v := range readVectors(t, "testdata/examples.json") {
		expect := v["expect"].(map[string]any)
		literal, _ := v["repaired"].(string)
		if literal == "" {
			literal = v["literal"].(string)
		}
		q := map[string]any{"dialect": v["dialect"], "context": "full", "input": literal}
		if strings.HasPrefix(literal, "<") {
			q["context"] = "text"
		}
		a := runQuestions(t, []map[string]any{q})[0]
		if urls, ok := a["urls"].([]any); ok { // an answer about URLs in a text is never an error
			if a = map[string]any{"ok": len(urls) > 0}; len(urls) == 1 {
				a = urls[0].(map[string]any)
				a["ok"] = true
			}
		}
		if v["kind"] != "url" && expect["ok"] == false {
			if canonical, ok := opaqueExamples[literal]; ok {
				_, rest, _ := strings.Cut(canonical, ":")
				parts, _ := a["parts"].(map[string]any)
				fetchtest.Equal(t, parts["opaque"], any(rest), "%s: %q: opaque", v["id"], literal)
				expect = map[string]any{"ok": true, "canonical": canonical}
			} else if expect["error"] == nil {
				delete(a, "error") // any category is correct
			}
		}
		for _, k := range []string{"ok", "canonical", "fragment", "alternatives", "error"} {
			fetchtest.DeepEqual(t, a[k], expect[k], "%s: %q: %s", v["id"], literal, k)
		}
		if want, ok := expect["parts"]; ok && q["context"] == "full" && !reflect.DeepEqual(a["parts"], want) {
			t.Errorf("%s: %q: parts = %v, want %v", v["id"], literal, a["parts"], want)
		}
	}
}
