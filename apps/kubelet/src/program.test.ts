import { join } from "node:path";
import { FlagError } from "@kintsugi/daemon";
import { testDocumentedFile, testDocumentedOptions } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;
import { kubeletFlags } from "./kubelet-options.ts";

const required = [
  "--kubeconfig=/k",
  "--node-ip=10.0.0.5",
  "--tls-cert-file=/c",
  "--tls-private-key-file=/p",
  "--client-ca-file=/a",
];

test("a profile sets all timers, and a flag overrides it", () => {
  const { kubelet } = readConfig([...required, "--profile=fast", "--node-lease-renew-interval=2s"]);
  expect(kubelet.lease).toEqual({ durationMs: 4000, renewIntervalMs: 2000, gracePeriodMs: 4000 });
  expect(kubelet.restartBackoff).toEqual({ initialMs: 1000, maxMs: 10_000, resetMs: 20_000, floorMs: 1000 });
  expect(kubelet.nodeStatus.updateIntervalMs).toBe(1000);
});

test("labels, taints and reserved resources are parsed in upstream's notation", () => {
  const { kubelet } = readConfig([
    ...required,
    "--node-labels=a=b,zone=z=1",
    "--register-with-taints=dedicated=gpu:NoSchedule,alone:NoExecute",
    "--system-reserved=cpu=250m,memory=1Gi",
  ]);
  expect(kubelet.labels).toEqual({ a: "b", zone: "z=1" });
  expect(kubelet.taints).toEqual([
    { key: "dedicated", value: "gpu", effect: "NoSchedule" },
    { key: "alone", effect: "NoExecute" },
  ]);
  expect(kubelet.reserved).toEqual({ cpuMillicores: 250, memoryBytes: 1024 ** 3, ephemeralStorageBytes: 0 });
});

test("a node has a proxy unless a flag states that it has no proxy", () => {
  const hasProxy = (...flags: string[]) => readConfig([...required, ...flags]).kubelet.hasProxy;
  expect([hasProxy(), hasProxy("--node-has-proxy=false")]).toEqual([true, false]);
});

test("kubelets on one machine use different log directories", () => {
  const logsOf = (...flags: string[]) => readConfig([...required, ...flags]).kubelet.podLogsDirectory;
  expect(logsOf()).toBe("/var/log/pods");
  expect(logsOf("--root-dir=/data/node-1")).toBe("/data/node-1/pod-logs");
  expect(logsOf("--root-dir=/data/node-1", "--pod-logs-dir=/logs")).toBe("/logs");
});

test.each([
  [["--node-ip=node-1"], '--node-ip "node-1": must be a valid IP address'],
  [["--pod-cidr=10.1.0.0"], '--pod-cidr "10.1.0.0": must be a valid CIDR value'],
  [["--profile=slow"], /must be one of/],
  [["--node-labels=a"], /is not key=value/],
  [["--register-with-taints=a=b"], /is not key=value:effect/],
  [["--log-level=loud"], /must be one of/],
])("%j is rejected with a sentence", (flags, message) => {
  expect(() => readConfig([...required, ...flags])).toThrow(FlagError);
  expect(() => readConfig([...required, ...flags])).toThrow(message);
});

testDocumentedFile("kubelet", program, { kubeconfig: "/etc/kintsugi/kubelet.kubeconfig" });

test("pods query their node's proxy for names, or the configured server, or no server on a node without a proxy", () => {
  const servers = (...flags: string[]) => readConfig([...required, ...flags]).kubelet.clusterDnsServers;
  expect(servers("--node-ip=fe80::1,192.0.2.11,192.0.2.12")).toEqual(["192.0.2.11"]);
  expect(servers("--node-ip=192.0.2.11", "--cluster-dns=10.96.0.10,10.96.0.11")).toEqual(["10.96.0.10", "10.96.0.11"]);
  expect(servers("--node-ip=192.0.2.11", "--cluster-dns=")).toEqual([]);
  expect(servers("--node-ip=192.0.2.11", "--node-has-proxy=false")).toEqual([]);
});

testDocumentedOptions(join(import.meta.dirname, "../README.md"), {
  ...kubeletFlags,
  "hostname-override": { ...kubeletFlags["hostname-override"], fallback: "the machine's name" },
});
