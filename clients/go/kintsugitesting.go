// Package kintsugitesting starts a Kubernetes cluster inside a test, moves its clock, calls faults and resets it.
// It needs the program kintsugi ($KINTSUGI names another one) and nothing beyond the standard library.
package kintsugitesting

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

const base = "/apis/kintsugi.dev/v1alpha1/"

// A clock that is moved by months takes its time.
const answerMax = time.Hour

// Cluster is a test server that runs until Stop.
type Cluster struct {
	// Server is the address of the API, Kubeconfig the path of the administrator's kubeconfig, which Stop removes.
	Server, Kubeconfig string
	// GiveClients is the real time without a request of a client that Advance and AdvanceUntil wait for after each step
	// that clients were sent, so that an operator reacts at each step; 0 waits for none.
	GiveClients time.Duration
	token       string
	client      *http.Client
	command     *exec.Cmd
	stdin       io.Closer
}

// Start starts a cluster with flags of `kintsugi test-server`, such as "--nodes=3" and "--clock=steered".
func Start(flags ...string) (*Cluster, error) {
	words := strings.Fields(os.Getenv("KINTSUGI"))
	if len(words) == 0 {
		words = []string{"kintsugi"}
	}
	arguments := append(append(words[1:], "test-server", "--json", "--with-parent"), flags...)
	command := exec.Command(words[0], arguments...)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%s does not start: %w", words[0], err)
	}
	var ready struct{ Server, Kubeconfig, Ca, Token string }
	line, _ := bufio.NewReader(stdout).ReadBytes('\n')
	if err := json.Unmarshal(line, &ready); err != nil {
		stdin.Close()
		return nil, fmt.Errorf("%s test-server ended before it was ready: %v", words[0], command.Wait())
	}
	go io.Copy(io.Discard, stdout)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(ready.Ca))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	client := &http.Client{Transport: transport, Timeout: answerMax}
	return &Cluster{ready.Server, ready.Kubeconfig, 0, ready.Token, client, command, stdin}, nil
}

// Stop ends the server, which leaves nothing behind.
func (c *Cluster) Stop() error {
	c.stdin.Close()
	return c.command.Wait()
}

// Advance is the result of a move of the clock.
type Advance struct {
	MovedMs, PassedOverMs int64
	Steps                 int
	Settled, Reached      bool
	Message               string
}

// Advance moves the clock through everything that is due.
func (c *Cluster) Advance(duration time.Duration) (Advance, error) {
	return c.move(map[string]any{"advance": milliseconds(duration)})
}

// AdvanceUntil moves the clock until the expression in CEL over `object` is true; it is an error when that does not
// happen within atMost of the cluster's time. The namespace is empty for objects without one.
func (c *Cluster) AdvanceUntil(expression, resource, namespace, name string, atMost time.Duration) (Advance, error) {
	until := map[string]any{"expression": expression, "resource": resource, "name": name}
	if namespace != "" {
		until["namespace"] = namespace
	}
	advance, err := c.move(map[string]any{"until": until, "atMost": milliseconds(atMost)})
	if err == nil && !advance.Reached {
		err = errors.New(advance.Message)
	}
	return advance, err
}

func (c *Cluster) move(body map[string]any) (Advance, error) {
	if c.GiveClients > 0 {
		body["giveClients"] = milliseconds(c.GiveClients)
	}
	var answer struct{ Advance Advance }
	err := c.ask("POST", "clock", body, &answer)
	return answer.Advance, err
}

// SetPace lets so many seconds of the cluster pass in each second; 0 lets its clock stand still.
func (c *Cluster) SetPace(pace float64) error {
	return c.ask("POST", "clock", map[string]any{"pace": pace}, nil)
}

// CallFault calls a fault and returns a function that undoes it. The target may be empty.
func (c *Cluster) CallFault(fault, target string, settings map[string]any, seed uint32) (undo func() error, err error) {
	body := map[string]any{"fault": fault, "seed": seed}
	if target != "" {
		body["target"] = target
	}
	if settings != nil {
		body["with"] = settings
	}
	var answer struct{ Metadata struct{ Name string } }
	if err := c.ask("POST", "faults", body, &answer); err != nil {
		return nil, err
	}
	path := "faults/" + url.PathEscape(answer.Metadata.Name)
	return func() error { return c.ask("DELETE", path, nil, nil) }, nil
}

// Mark remembers all objects, and returns the name of the mark.
func (c *Cluster) Mark() (string, error) {
	var answer struct{ Metadata struct{ Name string } }
	err := c.ask("POST", "marks", map[string]any{}, &answer)
	return answer.Metadata.Name, err
}

// Reset puts all objects back as they were at a mark, while clients stay connected.
func (c *Cluster) Reset(mark string) error {
	return c.ask("POST", "resets", map[string]any{"mark": mark}, nil)
}

func (c *Cluster) ask(method, path string, body, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, c.Server+base+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	if response.StatusCode >= 300 {
		var status struct{ Message string }
		if decoder.Decode(&status) == nil && status.Message != "" {
			return errors.New(status.Message)
		}
		return errors.New(response.Status)
	}
	if answer == nil {
		return nil
	}
	return decoder.Decode(answer)
}

func milliseconds(duration time.Duration) string {
	return fmt.Sprintf("%dms", duration.Milliseconds())
}
