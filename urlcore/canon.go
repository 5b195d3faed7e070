package urlcore

// Canon checks a value that was not parsed and makes it canonical. The host is then in lower case,
// the path is in canonical encoding, and the port is 0 for the default port. For the result,
// Parse(u.String()) == u. A zero value is invalid, because it has no host. The error is an
// *[Error].
func Canon(u URL) (URL, error) {
	v, err := canon(u)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func canon(u URL) (URL, *Error) {
	if c, ok := u.(interface{ canon() (URL, *Error) }); ok {
		return c.canon()
	}
	return nil, fail(Unrepresentable, 0, "not a URL of this package")
}
