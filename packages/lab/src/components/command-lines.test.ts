import { expect, test } from "vitest";
import { clusterPaths } from "../cluster/cluster-paths.ts";
import { type ClusterSpec, newClusterSpec } from "../cluster/cluster-spec.ts";
import type { Component } from "../cluster/component.ts";
import { planServers } from "../settings/control-plane/servers.ts";
import type { ClusterLayout } from "./components.ts";
import { controlComponents } from "./control-programs.ts";
import { hostPlacement } from "./control-placement.ts";
import { hostPrograms } from "./host-programs.ts";
import { hostComponent, nodeComponent } from "./lab-program.ts";
import { nodePrograms } from "./node-programs.ts";
import { balancerComponent, serverComponents } from "./server-components.ts";

const base = { name: "c", nodeCount: 1, profile: "fast", apiPort: 6443, subnet: 64, createdAtMs: 0 } as const;
const clusters: Record<string, ClusterSpec> = {
  plain: newClusterSpec(base),
  full: {
    ...newClusterSpec({ ...base, servers: planServers(3) ?? [] }),
    csi: true,
    devices: 2,
    ingress: true,
    hollowNodes: 5,
    cloud: { machinesMax: 3 },
  },
};

function componentsOf(spec: ClusterSpec): Component[] {
  const layout: ClusterLayout = {
    spec,
    paths: clusterPaths("/data", "c"),
    programs: {
      app: (folder) => [folder],
      haproxy: ["haproxy"],
      natsServer: ["nats-server"],
      etcd: ["etcd"],
      containerd: ["containerd"],
    },
    resolver: { resolvConf: "/etc/resolv.conf", stubs: [] },
  };
  const [server] = spec.servers ?? [];
  return [
    ...(server === undefined
      ? controlComponents(layout, hostPlacement(layout))
      : [balancerComponent(layout), ...serverComponents(layout, server)]),
    ...hostPrograms.filter(({ when }) => when(spec)).map((program) => hostComponent(layout, program)),
    ...spec.nodes.flatMap((node) =>
      nodePrograms.filter(({ when }) => when(spec)).map((program) => nodeComponent(layout, program, node)),
    ),
  ];
}

test.each(Object.keys(clusters))("the command lines of a %s cluster equal its snapshot file", async (name) => {
  const spec = clusters[name];
  if (spec === undefined) throw new Error(`there is no cluster ${name}`);
  const text = componentsOf(spec).map(({ id, command }) => `${id}\n${command.map((each) => `  ${each}\n`).join("")}`);
  await expect(text.join("\n")).toMatchFileSnapshot(`testing/command-lines-${name}.txt`);
});
