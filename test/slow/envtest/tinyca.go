package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// The certificates of controller-runtime's pkg/internal/testing/certs.

type pair struct {
	cert *x509.Certificate
	key  crypto.Signer
}

func newCA() pair {
	key := newKey()
	now := time.Now()
	template := x509.Certificate{
		SerialNumber:          new(big.Int).SetInt64(0),
		Subject:               pkix.Name{CommonName: "envtest-environment", Organization: []string{"envtest"}},
		NotBefore:             now.UTC(),
		NotAfter:              now.Add(24 * time.Hour * 365 * 10).UTC(),
		KeyUsage:              x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	return signed(&template, pair{&template, key}, key)
}

func (ca pair) serving() pair {
	return ca.leaf(pkix.Name{CommonName: "localhost", Organization: []string{"envtest"}}, x509.ExtKeyUsageServerAuth)
}

func (ca pair) client(name string, groups ...string) pair {
	return ca.leaf(pkix.Name{CommonName: name, Organization: groups}, x509.ExtKeyUsageClientAuth)
}

func (ca pair) leaf(subject pkix.Name, usage x509.ExtKeyUsage) pair {
	now := time.Now()
	return signed(&x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      subject,
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.ParseIP("127.0.0.1")},
		KeyUsage:     x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{usage},
		NotBefore:    now.UTC(),
		NotAfter:     now.Add(168 * time.Hour).UTC(),
	}, ca, newKey())
}

func signed(template *x509.Certificate, by pair, key crypto.Signer) pair {
	raw, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	check(err, "certificate")
	cert, err := x509.ParseCertificate(raw)
	check(err, "certificate")
	return pair{cert, key}
}

func newKey() crypto.Signer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err, "key")
	return key
}

func (p pair) certPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.cert.Raw})
}

func (p pair) keyPEM() []byte {
	raw, err := x509.MarshalPKCS8PrivateKey(p.key)
	check(err, "key")
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}
