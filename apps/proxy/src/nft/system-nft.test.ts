import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { planRules } from "../plan/plan-rules.ts";
import { emptyRuleset, type Ruleset } from "../ruleset/ruleset.ts";
import { anotherTable, changes, wholeTable } from "../ruleset/transaction.ts";
import { aService, aSlice, anEndpoint } from "../testing/service-builders.ts";
import { whyNoKernelTests } from "../testing/kernel-tests.ts";
import { nftIn } from "./system-nft.ts";

// These tests use the kernel's own packet filter, in a separate network namespace. They need root.

const namespace = `kintsugi-proxy-test-${process.pid}`;
const nft = nftIn(["ip", "netns", "exec", namespace, "nft"]);
const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
const listed = () => execFileSync("ip", ["netns", "exec", namespace, "nft", "list", "ruleset"], { encoding: "utf8" });

const lacking = whyNoKernelTests({ program: "nft", debianPackage: "nftables" });

beforeEach(({ skip }) => {
  skip(lacking !== undefined, lacking);
  ip("netns", "add", namespace);
});
afterEach(() => {
  if (lacking === undefined) ip("netns", "delete", namespace);
});

const node = { nodeName: "node-1", zone: "", podCidr: "10.1.0.0/24", addresses: ["192.0.2.1"] };

/** Plans a Service that uses every feature. */
function everything(...endpoints: string[]): Ruleset {
  const services = [
    {
      ...aService({
        type: "LoadBalancer",
        externalIPs: ["198.51.100.7"],
        externalTrafficPolicy: "Local",
        sessionAffinity: "ClientIP",
        loadBalancerSourceRanges: ["203.0.113.0/24", "203.0.0.0/16"],
        ports: [
          { name: "http", port: 80, nodePort: 30080 },
          { name: "dns", port: 53, protocol: "UDP", nodePort: 30053 },
          { name: "assoc", port: 9, protocol: "SCTP" },
        ],
      }),
      status: { loadBalancer: { ingress: [{ ip: "198.51.100.8" }] } },
    },
    aService({ clusterIP: "10.96.0.11", internalTrafficPolicy: "Local" }, { name: "local" }),
    aService({ clusterIP: "10.96.0.12" }, { name: "nothing" }),
  ];
  const ports = [
    { name: "http", port: 8080 },
    { name: "dns", port: 5353, protocol: "UDP" as const },
    { name: "assoc", port: 99, protocol: "SCTP" as const },
  ];
  const slices = [
    aSlice(endpoints.map(anEndpoint), { ports }),
    aSlice(endpoints.map(anEndpoint), { service: "local", name: "local" }),
  ];
  return planRules(
    { services, slices, node, cluster: { nodes: [], controlPlane: [] } },
    { masqueradeAll: true, bridgeBypassesRules: true },
  ).ruleset;
}

test("the kernel accepts every rule and every change of the rules, and stale rules are removed", async () => {
  expect(await nft.present()).toEqual({ chains: new Set(), affinitySets: new Set() });
  const first = everything("10.1.0.1@node-1", "10.1.1.1@node-2");
  await nft.apply(wholeTable(first, await nft.present()).script);
  const second = everything("10.1.1.1@node-2", "10.1.1.2@node-2");
  const { script, staleChains } = changes(first, second, []);
  await nft.apply(script);
  expect(listed()).not.toContain("dnat to 10.1.0.1:");
  expect(listed()).toContain("dnat to 10.1.1.2:8080");
  await nft.apply(changes(second, second, staleChains).script);
  expect((await nft.present()).affinitySets).toEqual(new Set(second.affinitySets.keys()));
  for (const chain of staleChains) expect((await nft.present()).chains).not.toContain(chain);
});

test("the incremental changes result in the same table as a full write", async () => {
  const [first, second] = [everything("10.1.0.1@node-1"), everything("-10.1.0.1@node-1", "10.1.0.2@node-1")];
  await nft.apply(wholeTable(first, await nft.present()).script);
  const { script, staleChains } = changes(first, second, []);
  await nft.apply(script);
  await nft.apply(changes(second, second, staleChains).script);
  const sorted = () =>
    listed()
      .split("\n")
      .map((line) => line.trim())
      .toSorted();
  const changed = sorted();
  await nft.apply(anotherTable(second).script);
  expect(sorted()).toEqual(changed);
});

test("clients keep their endpoints when the table is rewritten, and an invalid write has no effect", async () => {
  const rules = everything("10.1.0.1@node-1");
  await nft.apply(wholeTable(rules, await nft.present()).script);
  const [set = ""] = rules.affinitySets.keys();
  await nft.apply(`add element ip kube-proxy ${set} { 203.0.113.9 }\n`);
  await nft.apply(wholeTable(rules, await nft.present()).script);
  expect(listed()).toContain("203.0.113.9 expires");
  const before = listed().replaceAll(/expires \S+/g, "");
  await expect(nft.apply(`flush table ip kube-proxy\nadd rule ip kube-proxy nowhere drop\n`)).rejects.toThrow(
    /No such file or directory/,
  );
  expect(listed().replaceAll(/expires \S+/g, "")).toBe(before);
});

test("a table of another shape from another program is replaced", async () => {
  await nft.apply("add table ip kube-proxy\nadd map ip kube-proxy service-ips { type ipv4_addr : verdict ; }\n");
  await expect(nft.apply(wholeTable(emptyRuleset, await nft.present()).script)).rejects.toThrow(/datatype mismatch/);
  await nft.apply(anotherTable(everything("10.1.0.1@node-1")).script);
  expect(listed()).toContain("dnat to 10.1.0.1:8080");
});

test("a machine without nft reports the missing package", async () => {
  await expect(nftIn(["kintsugi-no-such-program"]).present()).rejects.toThrow("it is not installed (package nftables)");
});
