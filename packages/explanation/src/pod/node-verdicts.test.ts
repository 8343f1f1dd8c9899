import type { Node, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { explainObject } from "../explain.ts";
import { aNode, aPod, aWorld, only, unscheduled } from "../testing/objects.ts";
import type { World } from "../world.ts";

const withRoom = (node: Node, cpu = "2"): Node => ({
  ...node,
  status: { ...node.status, allocatable: { cpu, memory: "4Gi", pods: "10" } },
});
const asking = (name: string, requests: Record<string, string>, nodeName = "", more: object = {}): Pod =>
  aPod(name, {
    spec: { nodeName, containers: [{ name: "c", resources: { requests } }], ...more },
    ...(nodeName === "" ? { status: unscheduled("0/3 nodes are available: 3 Insufficient cpu.") } : {}),
  });
const worldOf = (nodes: readonly Node[], pods: readonly Pod[], hasAllPods = true): World => ({
  ...aWorld({ nodes, pods, namespaces: [{ metadata: { name: "default" } }] }),
  hasAllPods,
});
const reasonOf = (pod: Pod, world: World) => only(explainObject("pods", pod, { world }).reasons);

test("each node has its reason, and nodes with the same reason are grouped", () => {
  const nodes = [
    withRoom(aNode("n1")),
    withRoom(aNode("n2"), "1"),
    withRoom(aNode("n3", { unschedulable: true })),
    withRoom(aNode("n4", { taints: [{ key: "dedicated", value: "gpu", effect: "NoSchedule" }] })),
  ];
  const reason = reasonOf(asking("p", { cpu: "1500m" }), worldOf(nodes, [asking("other", { cpu: "750m" }, "n1")]));
  expect(reason.because).toBe("None of the 4 nodes fits.");
  expect(reason.details).toEqual([
    "n1 and n2: has too little cpu free",
    "n3: is cordoned",
    "n4: has the taint dedicated=gpu, which the pod does not tolerate",
    "the pod requests 1500m of cpu; the largest free amount is 1250m, on n1",
  ]);
  expect(reason.remedies?.map(({ command }) => command)).toEqual([
    "kintsugi uncordon n3",
    "kubectl -n default edit pod/p",
    "kubectl -n default edit pod/p",
  ]);
});

describe("the scheduler's own filters decide", () => {
  test.each<[string, object, string]>([
    ["a selector", { nodeSelector: { disk: "ssd" } }, "n1: does not match the pod's nodeSelector or node affinity"],
    [
      "a host port",
      { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }] },
      "n1: has a pod that uses the same host port",
    ],
    [
      "an anti-affinity",
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
            ],
          },
        },
      },
      "n1: runs a pod that the pod's anti-affinity excludes",
    ],
  ])("%s", (_, spec, detail) => {
    const port = { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }] };
    const node = withRoom(aNode("n1", { labels: { "kubernetes.io/hostname": "n1" } }));
    const reason = reasonOf(asking("p", {}, "", spec), worldOf([node], [asking("other", {}, "n1", port)]));
    expect(reason).toMatchObject({ because: "The only node does not fit.", details: [detail] });
  });

  test("a pod that now fits is about to be bound", () => {
    const reason = reasonOf(asking("p", { cpu: "1" }), worldOf([withRoom(aNode("n1"))], []));
    expect(reason.because).toBe("n1 is suitable now; the scheduler is about to bind it.");
  });

  test("a cluster without nodes", () => {
    expect(reasonOf(asking("p", {}), worldOf([], [])).because).toBe("The cluster has no nodes.");
  });
});

test("without all pods the free resources are unknown, so the scheduler's own message is used", () => {
  const reason = reasonOf(asking("p", { cpu: "1" }), worldOf([withRoom(aNode("n1"))], [], false));
  expect(reason.because).toContain("0/3 nodes are available");
});

test("a node that cannot use the volume of the pod's claim is named with that reason", () => {
  const claim = {
    metadata: { name: "data", namespace: "default", annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
    spec: { volumeName: "disk" },
    status: { phase: "Bound" },
  };
  const matchFields = [{ key: "metadata.name", operator: "In" as const, values: ["n2"] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const disk = { metadata: { name: "disk" }, spec: { nodeAffinity: { required } } };
  const pod = asking("p", {}, "", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
  const storage = { persistentvolumeclaims: [claim], persistentvolumes: [disk], storageclasses: [] };
  const world = worldOf([withRoom(aNode("n1"))], []);
  const { reasons } = explainObject("pods", pod, { world: { ...world, objects: { ...world.objects, ...storage } } });
  expect(reasons.flatMap(({ details }) => details ?? []).join()).toContain("had volume node affinity conflict");
});
