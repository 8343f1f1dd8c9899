import { controllerReference, type Pod, replicaSets, statefulSets } from "@kintsugi/api";
import { expect, test } from "vitest";
import { podDeletion } from "./pod-deletion.ts";

const owner = { metadata: { name: "db", uid: "owner" } };
const aPod = (terminationGracePeriodSeconds: number, type: typeof statefulSets | typeof replicaSets): Pod => ({
  metadata: { name: "db-0", uid: "u", ownerReferences: [controllerReference(owner, type)] },
  spec: { containers: [], terminationGracePeriodSeconds },
});

test.each([
  ["a StatefulSet's pod without a grace period keeps its identity until its end", aPod(0, statefulSets), 1],
  ["a StatefulSet's pod with grace has its own grace period", aPod(30, statefulSets), undefined],
  ["another pod may be deleted immediately", aPod(0, replicaSets), undefined],
])("%s", (_name, pod, gracePeriodSeconds) => {
  expect(podDeletion(pod)).toEqual({ preconditions: { uid: "u" }, gracePeriodSeconds });
});
