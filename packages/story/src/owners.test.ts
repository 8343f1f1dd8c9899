import type { Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { workloadByName, workloadKey, workloadOf } from "./owners.ts";

describe("the workload of a pod", () => {
  const owned = (kind: string, name: string, labels = {}): Pod => ({
    metadata: {
      name: "p",
      namespace: "a",
      labels,
      ownerReferences: [{ apiVersion: "apps/v1", kind, name, uid: "u", controller: true }],
    },
  });
  const byKey = (pod: Pod) => workloadKey(workloadOf(pod, () => undefined));

  test.each([
    [owned("StatefulSet", "db"), "a/StatefulSet/db"],
    [owned("ReplicaSet", "web-5d9", { "pod-template-hash": "5d9" }), "a/Deployment/web"],
    [owned("ReplicaSet", "bare"), "a/ReplicaSet/bare"],
    [{ metadata: { name: "p", namespace: "a" } } as Pod, "a/Pod/p"],
  ])("is its controller, or its controller's controller", (pod, key) => expect(byKey(pod)).toBe(key));

  const known = new Map(
    ["a/Deployment/web", "a/StatefulSet/db", "a/DaemonSet/agent", "b/Deployment/other"].map((key) => {
      const [namespace = "", kind = "", name = ""] = key.split("/");
      return [key, { namespace, kind, name }];
    }),
  );

  test.each([
    ["web-8556fcd85-x9cbm", "a/Deployment/web"],
    ["db-12", "a/StatefulSet/db"],
    ["agent-x9cbm", "a/DaemonSet/agent"],
    ["other-8556fcd85-x9cbm", "a/Pod/other-8556fcd85-x9cbm"],
    ["web-toolong-x9cbm", "a/Pod/web-toolong-x9cbm"],
  ])("is found by the name %s when the pod no longer exists", (name, key) => {
    expect(workloadKey(workloadByName({ namespace: "a", name }, known))).toBe(key);
  });
});
