package config

import (
	"strings"

	"gofer/urlcore"
)

// maskPasswords masks the passwords of URLs in text. It treats a quoted text as one URL.
func maskPasswords(text string) string {
	const quotes = `"'`
	from, to := strings.IndexAny(text, quotes)+1, strings.LastIndexAny(text, quotes)
	if from > to {
		return urlcore.MaskPassword(text)
	}
	if around := text[:from] + text[to:]; strings.Contains(around, "@") || strings.Contains(around, "%40") {
		return urlcore.MaskPassword(text)
	}
	return text[:from] + urlcore.MaskPassword(text[from:to]) + text[to:]
}
