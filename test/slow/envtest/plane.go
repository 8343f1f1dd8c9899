package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// The start and the stop of controller-runtime's pkg/internal/testing/{process,controlplane}: the
// same flags, files, health checks and limits of time.

const startMax, stopMax = 20 * time.Second, 20 * time.Second

type process struct {
	command *exec.Cmd
	done    chan error
}

// hasFlag is CheckFlag of process.go.
func hasFlag(program, name string) bool {
	output, err := exec.Command(program, "--help").CombinedOutput()
	check(err, program+" --help")
	return regexp.MustCompile(`(?m)^\s*--` + name + `\b`).Match(output)
}

func start(program, health string, flags []string) process {
	p := process{exec.Command(program, flags...), make(chan error, 1)}
	p.command.Stderr = os.Stderr
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	check(p.command.Start(), program)
	go func() { p.done <- p.command.Wait() }()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for began := time.Now(); time.Since(began) < startMax; time.Sleep(100 * time.Millisecond) {
		response, err := client.Get(health)
		if err == nil {
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return p
			}
		}
		select {
		case err := <-p.done:
			fail("%s ended before it was ready: %v", program, err)
		default:
		}
	}
	p.command.Process.Kill()
	fail("timeout waiting for %s to start", program)
	return p
}

func (p process) stop() {
	check(p.command.Process.Signal(syscall.SIGTERM), "SIGTERM")
	select {
	case err := <-p.done:
		check(err, p.command.Path)
	case <-time.After(stopMax):
		p.command.Process.Kill()
		fail("timeout waiting for %s to stop", p.command.Path)
	}
}

type plane struct {
	etcd, apiServer   process
	port              string
	serverCA, clients pair
	directories       []string
}

func startPlane(assets string) plane {
	etcdDirectory, certificates := temporary(), temporary()
	plane := plane{serverCA: newCA(), clients: newCA(), port: freePort(), directories: []string{etcdDirectory, certificates}}

	etcdURL := "http://127.0.0.1:" + freePort()
	etcdFlags := []string{
		"--advertise-client-urls=" + etcdURL,
		"--data-dir=" + etcdDirectory,
		"--listen-client-urls=" + etcdURL,
		"--listen-peer-urls=http://127.0.0.1:" + freePort(),
	}
	etcd := filepath.Join(assets, "etcd")
	if hasFlag(etcd, "unsafe-no-fsync") {
		etcdFlags = append(etcdFlags, "--unsafe-no-fsync=true")
	}
	plane.etcd = start(etcd, etcdURL+"/health", etcdFlags)

	serving, tokens := plane.serverCA.serving(), newCA()
	file := func(name string, content []byte) string {
		path := filepath.Join(certificates, name)
		check(os.WriteFile(path, content, 0o640), name)
		return path
	}
	file("apiserver.crt", serving.certPEM())
	file("apiserver.key", serving.keyPEM())
	url := "https://127.0.0.1:" + plane.port
	flags := []string{
		"--allow-privileged=true",
		"--authorization-mode=RBAC",
		"--bind-address=127.0.0.1",
		"--cert-dir=" + certificates,
		"--client-ca-file=" + file("client-cert-auth-ca.crt", plane.clients.certPEM()),
		"--disable-admission-plugins=ServiceAccount",
		"--etcd-servers=" + etcdURL,
		"--secure-port=" + plane.port,
		"--service-account-issuer=" + url + "/",
		"--service-account-key-file=" + file("sa-signer.crt", tokens.certPEM()),
		"--service-account-signing-key-file=" + file("sa-signer.key", tokens.keyPEM()),
		"--service-cluster-ip-range=10.0.0.0/24",
	}
	apiServer := filepath.Join(assets, "kube-apiserver")
	if hasFlag(apiServer, "insecure-port") {
		flags = append(flags, "--insecure-port=0")
	}
	plane.apiServer = start(apiServer, url+"/healthz", flags)
	return plane
}

func (p plane) stop() {
	p.apiServer.stop()
	p.etcd.stop()
	for _, directory := range p.directories {
		check(os.RemoveAll(directory), directory)
	}
}

func temporary() string {
	directory, err := os.MkdirTemp("", "k8s_test_framework_")
	check(err, "directory")
	return directory
}

func freePort() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err, "port")
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

func check(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
