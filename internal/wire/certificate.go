package wire

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// peer is the fingerprint of a server's certificate, and how far the certificate is trusted.
type peer struct {
	fingerprint string
	trust       protocols.Trust
}

// verify checks the certificate of a server. The error is an *[protocols.Error], or a
// *[protocols.Confirm] if the user may trust the certificate.
func (t TLS) verify(addr, host string, state tls.ConnectionState) (peer, error) {
	if len(state.PeerCertificates) == 0 {
		return peer{}, insecureError(addr, errors.New("the server has no certificate"))
	}
	leaf := state.PeerCertificates[0]
	sum := sha256.Sum256(leaf.Raw)
	id := peer{"SHA-256 " + hex.EncodeToString(sum[:]), protocols.Verified}
	fault, pinnable := t.findFault(state.PeerCertificates, host)
	if fault == "" {
		return id, nil
	}
	if t.Unverified || t.Pins == nil && t.FirstUse {
		id.trust = protocols.Unverified
		return id, nil
	}
	if t.Pins == nil || !pinnable && !t.FirstUse {
		return id, insecureError(addr, fmt.Errorf("the server's certificate %s: ask who runs the server (%s)", fault, id.fingerprint))
	}
	pin, known := t.Pins.Pin(addr)
	if pin == id.fingerprint {
		id.trust = protocols.Pinned
		return id, nil
	}
	if !known && t.FirstUse {
		t.Pins.Agree(addr, id.fingerprint)
		id.trust = protocols.Pinned
		return id, nil
	}
	confirm := &protocols.Confirm{
		Question:    "Trust the certificate of " + addr,
		Reason:      "It " + fault + ". A yes is remembered until the server shows another certificate.",
		Details:     append([]string{id.fingerprint}, certificateLines(leaf)...),
		Consent:     protocols.ConsentCertificate,
		GiveConsent: func() { t.Pins.Agree(addr, id.fingerprint) },
	}
	if known {
		confirm.Question = "Trust the changed certificate of " + addr
		confirm.Reason = "It is not the certificate that was trusted before: the server has a new one, or somebody else answers in its place. " +
			"Ask who runs the server before you trust it. It " + fault + "."
		confirm.Details[0] = "was: " + pin
		confirm.Details = slices.Insert(confirm.Details, 1, "now: "+id.fingerprint)
		confirm.Consent = protocols.ConsentAsked
	}
	return id, confirm
}

// findFault returns the fault of a certificate, or "", and whether the user may trust it anyway.
func (t TLS) findFault(chain []*x509.Certificate, host string) (fault string, pinnable bool) {
	leaf := chain[0]
	options := x509.VerifyOptions{Roots: t.Roots, Intermediates: x509.NewCertPool(), DNSName: host}
	for _, c := range chain[1:] {
		options.Intermediates.AddCert(c)
	}
	_, err := leaf.Verify(options)
	if _, ok := errors.AsType[x509.SystemRootsError](err); ok {
		options.Roots = x509.NewCertPool()
		_, err = leaf.Verify(options)
	}
	var unknown x509.UnknownAuthorityError
	var wrong x509.HostnameError
	var bad x509.CertificateInvalidError
	switch {
	case err == nil:
		return "", true
	case errors.As(err, &unknown):
		return "is not signed by an issuer that this system knows", true
	case errors.As(err, &wrong):
		return fmt.Sprintf("is for %s, not for %s", clean.Name(strings.Join(hostNames(leaf), ", ")), host), true
	case errors.As(err, &bad) && bad.Reason == x509.Expired && time.Now().Before(leaf.NotBefore):
		return "is not valid before " + leaf.NotBefore.UTC().Format(time.DateTime) + " (is the clock of this machine right?)", true
	case errors.As(err, &bad) && bad.Reason == x509.Expired:
		return "expired on " + leaf.NotAfter.UTC().Format(time.DateOnly), true
	}
	return describeFault(err), false
}

// describeFault describes err, an error of package x509 about a certificate that the user may not trust.
func describeFault(err error) string {
	var bad x509.CertificateInvalidError
	if errors.As(err, &bad) {
		switch bad.Reason {
		case x509.NotAuthorizedToSign:
			return "is signed by a certificate that may not sign others"
		case x509.TooManyIntermediates:
			return "is signed by a chain of certificates that is too long"
		case x509.IncompatibleUsage:
			return "is not for servers"
		case x509.CANotAuthorizedForThisName, x509.NameConstraintsWithoutSANs, x509.TooManyConstraints, x509.UnconstrainedName, x509.CANotAuthorizedForExtKeyUsage:
			return "is signed by an issuer that may not sign for this host"
		}
	}
	if _, ok := errors.AsType[x509.UnhandledCriticalExtension](err); ok {
		return "has a required extension that gofer does not know"
	}
	return "is not valid: " + plainWords(err)
}

func hostNames(c *x509.Certificate) []string {
	all := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	return all
}

func certificateLines(c *x509.Certificate) []string {
	return []string{
		"issued to: " + clean.Name(c.Subject.String()),
		"issued by: " + clean.Name(c.Issuer.String()),
		"valid: " + c.NotBefore.UTC().Format(time.DateOnly) + " to " + c.NotAfter.UTC().Format(time.DateOnly),
	}
}
