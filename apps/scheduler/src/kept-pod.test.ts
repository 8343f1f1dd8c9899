import type { Pod } from "@kintsugi/api";
import { podInfoOf } from "@kintsugi/scheduling";
import { expect, test } from "vitest";
import { withoutNodesReports } from "./kept-pod.ts";

const running: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "7", labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "busybox:1", resources: { requests: { cpu: "1" } } }], nodeName: "n1" },
  status: {
    phase: "Running",
    nominatedNodeName: "n2",
    startTime: "2026-01-01T00:00:00Z",
    podIP: "10.0.0.1",
    conditions: ["Initialized", "Ready", "DisruptionTarget", "PodScheduled"].map((type) => ({ type, status: "True" })),
    containerStatuses: [{ name: "c", image: "busybox:1", imageID: "", ready: true, restartCount: 0 }],
  },
};

test("a cached pod has the fields that decisions read, without the status of its containers", () => {
  const kept = withoutNodesReports(running);
  expect(kept.status).toEqual({
    phase: "Running",
    nominatedNodeName: "n2",
    startTime: "2026-01-01T00:00:00Z",
    conditions: [
      { type: "PodScheduled", status: "True" },
      { type: "DisruptionTarget", status: "True" },
    ],
  });
  const { pod: _, ...info } = podInfoOf(running);
  expect(podInfoOf(kept)).toMatchObject(info);
  expect(running.status?.podIP).toBe("10.0.0.1");
});

test("a generation that a node reports is not a change, and the generation of a waiting pod is cached", () => {
  const at = (status: "True" | "False", observedGeneration: number): Pod => ({
    ...running,
    status: { conditions: [{ type: "PodScheduled", status, observedGeneration }] },
  });
  expect(withoutNodesReports(at("True", 2))).toEqual(withoutNodesReports(at("True", 1)));
  expect(withoutNodesReports(at("False", 1)).status?.conditions).toMatchObject([{ observedGeneration: 1 }]);
});

test("a container that is being resized keeps its reservation", () => {
  const status = (cpu: string) => {
    const [container] = running.status?.containerStatuses ?? [];
    return { ...running.status, containerStatuses: [{ ...container, allocatedResources: { cpu } }] };
  };
  const shrinking = { ...running, status: status("2") } as Pod;
  expect(podInfoOf(withoutNodesReports(shrinking)).requests).toEqual(podInfoOf(shrinking).requests);
  expect(podInfoOf(shrinking).requests).not.toEqual(podInfoOf(running).requests);
  expect(withoutNodesReports({ ...running, status: status("1") } as Pod).status?.containerStatuses).toBeUndefined();
});

test("a pod without a status, or with an empty status, remains unchanged", () => {
  const { status: _, ...fresh } = running;
  expect(withoutNodesReports(fresh)).toBe(fresh);
  expect(withoutNodesReports({ ...fresh, status: {} }).status).toEqual({});
});
