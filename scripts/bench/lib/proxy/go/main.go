// A minimal proxy in Go: net/http for the client, httputil.ReverseProxy for the API, certificates created per host, a
// constant header. No lookups, checks or limits. Debian's Go 1.19 builds it without modules.
//
// Arguments: directory for the certificate, CA file of the API, API port, credential. Prints its port and the
// path of its certificate.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	issued      sync.Map
}

func must[A any](value A, err error) A {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: must(rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func newAuthority() *authority {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	root := template("bench")
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign
	der := must(x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key))
	return &authority{certificate: must(x509.ParseCertificate(der)), key: key}
}

func (a *authority) certificateFor(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if known, found := a.issued.Load(hello.ServerName); found {
		return known.(*tls.Certificate), nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf := template(hello.ServerName)
	leaf.DNSNames = []string{hello.ServerName}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	made := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	a.issued.Store(hello.ServerName, made)
	return made, nil
}

// tunnels hands the connections of CONNECT requests to the server inside them.
type tunnels struct {
	net.Listener
	opened chan net.Conn
}

func (t tunnels) Accept() (net.Conn, error) { return <-t.opened, nil }

func (t tunnels) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodConnect {
		http.Error(response, "expected CONNECT", http.StatusBadRequest)
		return
	}
	connection, _, err := response.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(connection, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		connection.Close()
		return
	}
	t.opened <- connection
}

func main() {
	directory, ca, port, credential := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(must(os.ReadFile(ca))) {
		log.Fatal("no certificate in " + ca)
	}
	own := newAuthority()
	file := filepath.Join(directory, "go-ca.pem")
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.certificate.Raw})
	if err := os.WriteFile(file, encoded, 0o600); err != nil {
		log.Fatal(err)
	}

	dialer := net.Dialer{}
	proxy := &httputil.ReverseProxy{
		Director: func(request *http.Request) {
			request.URL.Scheme, request.URL.Host = "https", request.Host
			request.Header.Set("Authorization", credential)
		},
		Transport: &http.Transport{
			DialContext: func(context context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(context, network, "127.0.0.1:"+port)
			},
			TLSClientConfig:     &tls.Config{RootCAs: roots},
			MaxIdleConnsPerHost: 256,
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}

	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	all := tunnels{listener, make(chan net.Conn)}
	inner := &http.Server{
		Handler:   proxy,
		TLSConfig: &tls.Config{GetCertificate: own.certificateFor},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	go func() { log.Fatal(inner.ServeTLS(all, "", "")) }()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port, file)
	log.Fatal((&http.Server{Handler: all}).Serve(listener))
}
