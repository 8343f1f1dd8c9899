import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";

const { readConfig } = program;

testDocumentedFile("proxy", program, { kubeconfig: "/etc/kintsugi/proxy.kubeconfig" });

const base = ["--kubeconfig", "/k"];

test("rules follow within a second as in upstream, and earlier with the fast timers", () => {
  expect(readConfig([...base, "--profile", "kubernetes"]).minSyncPeriodMs).toBe(1_000);
  expect(readConfig([...base, "--profile", "fast"]).minSyncPeriodMs).toBe(100);
  expect(readConfig([...base, "--nftables-min-sync-period", "2s"]).minSyncPeriodMs).toBe(2_000);
});

test("listen addresses have a port, and an address without a port is rejected with an example", () => {
  expect(readConfig([...base, "--metrics-bind-address", "[::1]:1"]).metrics).toEqual({ address: "::1", port: 1 });
  expect(() => readConfig([...base, "--healthz-bind-address", "0.0.0.0"])).toThrow(
    '--healthz-bind-address must be an address and a port, as in 127.0.0.1:10256, not "0.0.0.0".',
  );
});

test("names are answered at the node's own address, at another address, or not at all", () => {
  const names = (...flags: string[]) => readConfig([...base, ...flags]).names;
  expect(names()).toEqual({ addresses: undefined, domain: "cluster.local", resolvConf: "/etc/resolv.conf" });
  expect(names("--dns-bind-address=192.0.2.11,127.0.0.53", "--cluster-domain=Example.Test.")).toMatchObject({
    addresses: ["192.0.2.11", "127.0.0.53"],
    domain: "example.test",
  });
  expect(names("--dns=false")).toBeUndefined();
  expect(() => names("--dns-bind-address=192.0.2.11:53")).toThrow(
    '--dns-bind-address must be addresses, such as 192.0.2.11, not "192.0.2.11:53": the port is always 53.',
  );
  expect(() => names("--cluster-domain=a..b")).toThrow('--cluster-domain "a..b": ');
});
