import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

testDocumentedFile("cloud-controller-manager", program, {
  kubeconfig: "/etc/kintsugi/cloud-controller-manager.kubeconfig",
});

const tls = ["--tls-cert-file=/c", "--tls-private-key-file=/k", "--client-ca-file=/a"];
const read = (...argv: string[]) => program.readConfig(["--kubeconfig=/k", ...tls, ...argv]);

test("the cloud is queried about silent nodes as often as in upstream", () => {
  const config = read("--cloud-socket=/run/cloud.sock");
  expect(config).toMatchObject({
    cloud: { provider: "lab", socket: "/run/cloud.sock" },
    timers: { nodeMonitorPeriodMs: 5_000 },
  });
  expect(config.routes).toBeUndefined();
});

test("routes need a valid range and may be left to the network", () => {
  const socket = "--cloud-socket=/run/cloud.sock";
  expect(read(socket, "--cluster-cidr=10.0.0.0/16").routes?.periodMs).toBe(10_000);
  expect(read(socket, "--cluster-cidr=10.0.0.0/16", "--configure-cloud-routes=false").routes).toBeUndefined();
  expect(() => read(socket, "--cluster-cidr=pods")).toThrow(/--cluster-cidr: "pods" is not an IPv4 range/);
});

test("each cloud has its own driver, and an unknown cloud is named in the error", () => {
  const libvirt = "--cloud-provider=libvirt";
  expect(read(libvirt).cloud).toMatchObject({ provider: "libvirt", uri: "qemu:///system", domainPrefix: "" });
  for (const uri of ["test:///default", "qemu+ssh://root@host/system", "qemu+unix:///system?socket=/run/l.sock"])
    expect(read(libvirt, `--libvirt-uri=${uri}`, "--libvirt-domain-prefix=lab_").cloud).toMatchObject({
      uri,
      domainPrefix: "lab_",
    });
  for (const uri of ["", "--help", "/run/libvirt/libvirt-sock", "qemu:///system x"])
    expect(() => read(libvirt, `--libvirt-uri=${uri}`)).toThrow(/--libvirt-uri: ".*" is not a libvirt URI/);
  const compose = ["--cloud-provider=compose", "--cloud-socket=/run/docker.sock"];
  expect(read(...compose).cloud).toEqual({ provider: "compose", socket: "/run/docker.sock", project: "kintsugi" });
  expect(() => read("--cloud-provider=aws")).toThrow(/lab.*compose.*libvirt/);
});
