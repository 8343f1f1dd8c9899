import type { PodSpec } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { podDns } from "./pod-dns.ts";

const host = { servers: ["10.0.0.2"], searches: ["example.com"], options: ["timeout:1"] };
const settings = { clusterDnsServers: ["10.96.0.10"], clusterDomain: "cluster.local", host };
const ofCluster = ["default.svc.cluster.local", "svc.cluster.local", "cluster.local"];

test.each<[string, Partial<PodSpec>, string]>([
  ["", {}, `10.96.0.10 | ${ofCluster.join(" ")} example.com | ndots:5`],
  [" ClusterFirst on the host network", { hostNetwork: true }, "10.0.0.2 | example.com | timeout:1"],
  [
    " ClusterFirstWithHostNet",
    { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
    `10.96.0.10 | ${ofCluster.join(" ")} example.com | ndots:5`,
  ],
  [" Default", { dnsPolicy: "Default" }, "10.0.0.2 | example.com | timeout:1"],
  [" None", { dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"] } }, "1.1.1.1 |  | "],
  [
    " Default and its own entries",
    {
      dnsPolicy: "Default",
      dnsConfig: {
        nameservers: ["10.0.0.2", "1.1.1.1"],
        searches: ["example.com", "more.example.com"],
        options: [{ name: "timeout", value: "3" }, { name: "rotate" }],
      },
    },
    "10.0.0.2 1.1.1.1 | example.com more.example.com | timeout:3 rotate",
  ],
  [
    " ClusterFirst and fewer dots",
    { dnsConfig: { options: [{ name: "ndots", value: "2" }] } },
    `10.96.0.10 | ${ofCluster.join(" ")} example.com | ndots:2`,
  ],
])("a pod with the policy%s queries", (_, spec, said) => {
  const { config, lacksClusterDns, warnings } = podDns(aPod(spec), settings);
  const { servers, searches, options } = config;
  expect([servers, searches, options].map((list) => list.join(" ")).join(" | ")).toBe(said);
  expect([lacksClusterDns, warnings]).toEqual([false, []]);
});

test("without a cluster DNS, a pod that requests it gets the node's DNS and an event, and other pods do not get an event", () => {
  const without = { ...settings, clusterDnsServers: [] };
  expect(podDns(aPod(), without)).toEqual({ config: host, lacksClusterDns: true, warnings: [] });
  expect(podDns(aPod({ dnsPolicy: "Default" }), without).lacksClusterDns).toBe(false);
  expect(podDns(aPod({ hostNetwork: true }), without).lacksClusterDns).toBe(false);
});

test("entries beyond the resolver's limits are cut off with an event", () => {
  const nameservers = ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"];
  const many = podDns(aPod({ dnsPolicy: "None", dnsConfig: { nameservers } }), settings);
  expect(many.config.servers).toEqual(nameservers.slice(0, 3));
  expect(many.warnings).toEqual([
    "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 1.1.1.1 1.1.1.2 1.1.1.3",
  ]);
  const searching = (searches: string[]) =>
    podDns(aPod({ dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"], searches } }), settings);
  const short = Array.from({ length: 33 }, (_, i) => `s${i}`);
  expect(searching(short).config.searches).toEqual(short.slice(0, 32));
  const long = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(150, "x"));
  const kept = searching(long).config.searches;
  expect(kept.join(" ").length).toBeLessThanOrEqual(2048);
  expect(kept).toEqual(long.slice(0, kept.length));
  expect(searching(["a", "x".repeat(254), "b"])).toMatchObject({
    config: { searches: ["a", "b"] },
    warnings: [
      "Search Line limits were exceeded, some search paths have been omitted, the applied search line is: a b",
    ],
  });
});
