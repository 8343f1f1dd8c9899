// A suite of envtest without controller-runtime: it starts a control plane as envtest does, installs
// a definition and a webhook, and prints what it saw as JSON.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

type object = map[string]any

type suite struct {
	url    string
	client *http.Client
}

func main() {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	began := time.Now()
	plane := startPlane(assets)
	ready := time.Since(began)
	admin := plane.clients.client("admin", "system:masters")
	certificate, err := tls.X509KeyPair(admin.certPEM(), admin.keyPEM())
	check(err, "admin")
	roots := x509.NewCertPool()
	roots.AddCert(plane.serverCA.cert)
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}},
		ForceAttemptHTTP2: true,
	}
	s := suite{"https://127.0.0.1:" + plane.port, &http.Client{Transport: transport}}

	// waitForDefaultNamespace of pkg/envtest/server.go
	s.until("the namespace default", 5*time.Second, func() bool {
		return s.status("GET", "/api/v1/namespaces/default", nil) == 200
	})
	s.installDefinition()
	create := func(path string, body object) int { return s.status("POST", path, body) }
	widget := func(name string) object {
		return object{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": object{"name": name}}
	}
	widgets := "/apis/example.com/v1/namespaces/default/widgets"
	seen := object{"readyMs": ready.Milliseconds(), "widget": create(widgets, widget("allowed"))}
	seen["refused"] = s.withWebhook(plane.serverCA, func() int { return create(widgets, widget("forbidden")) })

	s.must("POST", "/api/v1/namespaces", object{"metadata": object{"name": "brief"}})
	s.must("DELETE", "/api/v1/namespaces/brief", nil)
	deployment := object{"metadata": object{"name": "web"}, "spec": object{
		"replicas": 2,
		"selector": object{"matchLabels": object{"app": "web"}},
		"template": object{
			"metadata": object{"labels": object{"app": "web"}},
			"spec":     object{"containers": []object{{"name": "web", "image": "nginx"}}},
		},
	}}
	s.must("POST", "/apis/apps/v1/namespaces/default/deployments", deployment)
	wait := 15 * time.Second
	if os.Getenv("KINTSUGI_ENVTEST_CONTROLLERS") == "off" {
		wait = 2 * time.Second
	}
	seen["namespaceEnded"] = s.within(wait, func() bool { return s.status("GET", "/api/v1/namespaces/brief", nil) == 404 })
	seen["available"] = s.within(wait, func() bool {
		status, _ := s.must("GET", "/apis/apps/v1/namespaces/default/deployments/web", nil)["status"].(object)
		return status["availableReplicas"] == float64(2)
	})
	seen["kubectl"] = s.kubectl(assets, plane, admin)

	stopping := time.Now()
	plane.stop()
	seen["stopMs"] = time.Since(stopping).Milliseconds()
	json.NewEncoder(os.Stdout).Encode(seen)
}

func (s suite) installDefinition() {
	s.must("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", object{
		"metadata": object{"name": "widgets.example.com"},
		"spec": object{
			"group": "example.com", "scope": "Namespaced",
			"names": object{"plural": "widgets", "singular": "widget", "kind": "Widget"},
			"versions": []object{{
				"name": "v1", "served": true, "storage": true, "subresources": object{"status": object{}},
				"schema": object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	})
	// WaitForCRDs of pkg/envtest/crd.go: the resource is in the discovery document of its version.
	s.until("the definition", 10*time.Second, func() bool {
		if s.status("GET", "/apis/example.com/v1", nil) != 200 {
			return false
		}
		resources, _ := s.must("GET", "/apis/example.com/v1", nil)["resources"].([]any)
		return len(resources) > 0
	})
}

// withWebhook installs a webhook as pkg/envtest/webhook.go does: by a URL of this host.
func (s suite) withWebhook(ca pair, work func() int) int {
	serving := ca.serving()
	certificate, err := tls.X509KeyPair(serving.certPEM(), serving.keyPEM())
	check(err, "webhook")
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	check(err, "webhook")
	defer listener.Close()
	go http.Serve(listener, http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		var review struct {
			Request struct{ Uid, Name string }
		}
		json.NewDecoder(request.Body).Decode(&review)
		writer.Header().Set("Content-Type", "application/json")
		json.NewEncoder(writer).Encode(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": object{
			"uid": review.Request.Uid, "allowed": review.Request.Name != "forbidden", "status": object{"code": 418},
		}})
	}))
	path := "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
	s.must("POST", path, object{"metadata": object{"name": "widgets"}, "webhooks": []object{{
		"name": "widgets.example.com", "sideEffects": "None", "admissionReviewVersions": []string{"v1"},
		"clientConfig": object{
			"url":      fmt.Sprintf("https://127.0.0.1:%d/validate", listener.Addr().(*net.TCPAddr).Port),
			"caBundle": base64.StdEncoding.EncodeToString(ca.certPEM()),
		},
		"rules": []object{{
			"apiGroups": []string{"example.com"}, "apiVersions": []string{"v1"},
			"operations": []string{"CREATE"}, "resources": []string{"widgets"},
		}},
	}}})
	defer s.must("DELETE", path+"/widgets", nil)
	return work()
}

// kubectl runs the suite's kubectl with a kubeconfig, as KubeCtl.Run of controlplane/kubectl.go.
func (s suite) kubectl(assets string, plane plane, admin pair) string {
	file := filepath.Join(plane.directories[1], "kubeconfig")
	encode := base64.StdEncoding.EncodeToString
	content, err := json.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": "envtest",
		"clusters": []object{{"name": "envtest", "cluster": object{"server": s.url, "certificate-authority-data": encode(plane.serverCA.certPEM())}}},
		"users":    []object{{"name": "envtest", "user": object{"client-certificate-data": encode(admin.certPEM()), "client-key-data": encode(admin.keyPEM())}}},
		"contexts": []object{{"name": "envtest", "context": object{"cluster": "envtest", "user": "envtest"}}},
	})
	check(err, "kubeconfig")
	check(os.WriteFile(file, content, 0o600), "kubeconfig")
	output, err := exec.Command(filepath.Join(assets, "kubectl"), "--kubeconfig="+file, "get", "widgets", "-o", "name").CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v: %s", err, output)
	}
	return string(bytes.TrimSpace(output))
}

func (s suite) within(wait time.Duration, holds func() bool) bool {
	for began := time.Now(); time.Since(began) < wait; time.Sleep(50 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

func (s suite) until(what string, wait time.Duration, holds func() bool) {
	if !s.within(wait, holds) {
		fail("%s did not come within %s", what, wait)
	}
}

func (s suite) must(method, path string, body object) object {
	status, answer := s.call(method, path, body)
	if status >= 300 {
		fail("%s %s: %d %v", method, path, status, answer["message"])
	}
	return answer
}

func (s suite) status(method, path string, body object) int {
	status, _ := s.call(method, path, body)
	return status
}

func (s suite) call(method, path string, body object) (int, object) {
	content, err := json.Marshal(body)
	check(err, "body")
	if body == nil {
		content = nil
	}
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(content))
	check(err, path)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	check(err, path)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err, path)
	answer := object{}
	json.Unmarshal(text, &answer)
	return response.StatusCode, answer
}
