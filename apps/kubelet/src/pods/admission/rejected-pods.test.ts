import { type PodSpec, nodes } from "@kintsugi/api";
import { expect, test } from "vitest";
import { scripted, doing } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

const onPort = (hostPort: number): Partial<PodSpec> => ({
  containers: [scripted("c", "run", { ports: [{ containerPort: 80, hostPort }] })],
});

test.each<[string, Partial<PodSpec>, string, string]>([
  [
    "requests a used host port",
    onPort(8080),
    "NodePorts",
    "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  [
    "requests a sysctl outside its namespaces",
    { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
    "SysctlForbidden",
    'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
  ],
  [
    "requests a sysctl of the shared network",
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] } },
    "SysctlForbidden",
    'Pod was rejected: forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
  ],
  [
    "has the policy Strict for its groups, which the runtime does not implement",
    { securityContext: { supplementalGroupsPolicy: "Strict" } },
    "SupplementalGroupsPolicyNotSupported",
    "Pod was rejected: SupplementalGroupsPolicy=Strict is not supported in this node",
  ],
])("a pod that %s is rejected", (_, spec, reason, message) =>
  withNode(async (node) => {
    await node.createPod("first", onPort(8080));
    await node.clock.advance(second);
    await node.createPod("p", spec);
    await node.clock.advance(second);
    const { status } = await node.pod("p");
    // No container was started, so the status has no containers, not even lost containers.
    expect(status).toEqual({
      phase: "Failed",
      reason,
      message,
      conditions: [],
      startTime: expect.any(String),
      qosClass: "BestEffort",
    });
    await node.restart();
    await node.clock.advance(90 * second);
    expect((await node.pod("p")).status).toEqual(status);
    expect((await node.pod("first")).status?.phase).toBe("Running");
  }),
);

test("a pod that does not tolerate the node's taints fails, and a pod that was bound after their removal runs immediately", () =>
  withNode(async (node) => {
    const taint = async (...taints: { key: string; effect: "NoExecute" }[]) => {
      const stored = await node.node();
      await node.client.update(nodes, { ...stored, spec: { ...stored.spec, taints } });
    };
    await taint({ key: "closed", effect: "NoExecute" });
    await node.clock.advance(15 * second);
    await node.createPod("early", doing("run"));
    await node.clock.advance(2 * second);
    expect((await node.pod("early")).status).toMatchObject({ phase: "Failed", reason: "TaintToleration" });
    await taint();
    await node.createPod("late", doing("run"));
    await node.clock.advance(2 * second);
    expect((await node.pod("late")).status?.phase).toBe("Running");
  }));
