import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { readConfig, sample } from "./config.ts";

testDocumentedFile({
  service: "cloud-controller-manager",
  sample,
  read: (argv) => readConfig(argv).kubeconfig,
  expected: "/etc/kintsugi/cloud-controller-manager.kubeconfig",
});

const tls = ["--tls-cert-file=/c", "--tls-private-key-file=/k", "--client-ca-file=/a"];
const read = (...argv: string[]) => readConfig(["--kubeconfig=/k", ...tls, ...argv]);

test("the cloud is asked about silent nodes as often as upstream asks", () => {
  const config = read("--cloud-socket=/run/cloud.sock");
  expect(config).toMatchObject({ cloudProvider: "lab", timers: { nodeMonitorPeriodMs: 5_000 } });
  expect(config.routes).toBeUndefined();
});

test("routes need a range that is one, and may be left to the network", () => {
  const socket = "--cloud-socket=/run/cloud.sock";
  expect(read(socket, "--cluster-cidr=10.0.0.0/16").routes?.periodMs).toBe(10_000);
  expect(read(socket, "--cluster-cidr=10.0.0.0/16", "--configure-cloud-routes=false").routes).toBeUndefined();
  expect(() => read(socket, "--cluster-cidr=pods")).toThrow(/--cluster-cidr: "pods" is not an IPv4 range/);
  expect(() => read(socket, "--cloud-provider=aws")).toThrow(/lab.*compose/);
});
