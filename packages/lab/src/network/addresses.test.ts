import { type Ipv4Range, nodesMax, parseIpv4Range } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { type ClusterSpec, newClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterPaths } from "../cluster/cluster-paths.ts";
import { controlComponents } from "../components/control-programs.ts";
import { hostPlacement } from "../components/control-placement.ts";
import { clusterAddresses, nodeAddresses } from "./addresses.ts";

function specOf(nodeCount: number): ClusterSpec {
  return newClusterSpec({ name: "c", profile: "fast", nodeCount, apiPort: 6443, subnet: 68, createdAtMs: 0 });
}

const overlap = (a: Ipv4Range, b: Ipv4Range) => a.first < b.first + b.size && b.first < a.first + a.size;
const within = (inner: Ipv4Range, outer: Ipv4Range) =>
  inner.first >= outer.first && inner.first + inner.size <= outer.first + outer.size;

function flagsOf(spec: ClusterSpec): Map<string, string> {
  const program = ["program"];
  const programs = {
    app: () => program,
    haproxy: program,
    natsServer: program,
    etcd: program,
    containerd: program,
  };
  const layout = { spec, paths: clusterPaths("/data", "c"), programs, resolver: { resolvConf: undefined, stubs: [] } };
  const manager = controlComponents(layout, hostPlacement(layout)).find(({ id }) => id === "controller-manager");
  const pairs = (manager?.command ?? []).map((argument) => /^--([^=]+)=(.*)$/.exec(argument));
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? "", pair[2] ?? ""] as const] : [])));
}

describe.each([1, 3, 127, 128, 129, 191, nodesMax])("a cluster with %i nodes", (nodeCount) => {
  const spec = specOf(nodeCount);
  const given = flagsOf(spec);
  const cluster = parseIpv4Range(given.get("cluster-cidr") ?? "");
  const reserved = (given.get("node-cidr-reserved") ?? "").split(",").map(parseIpv4Range);
  const services = parseIpv4Range(given.get("service-cluster-ip-range") ?? "");

  test("every node's range is in the controller-manager's range and belongs to no other node", () => {
    for (const node of spec.nodes) {
      const own = parseIpv4Range(nodeAddresses(spec, node).podCidr);
      expect([node.name, within(own, cluster), reserved.some((range) => within(own, range))]).toEqual([
        node.name,
        true,
        true,
      ]);
      expect(overlap(own, services)).toBe(false);
    }
  });

  test("ranges of joining machines do not overlap those ranges, the nodes' own network or Services", () => {
    const taken = [...reserved, services];
    const free = Array.from({ length: 256 }, (_, index) => parseIpv4Range(`10.68.${index}.0/24`)).filter(
      (range) => !taken.some((other) => overlap(range, other)),
    );
    expect(free.length).toBe(Math.min(112, 239 - nodeCount));
    expect(free.some((range) => overlap(range, parseIpv4Range(clusterAddresses(spec).nodeNetwork)))).toBe(false);
  });
});
