import { expect, test } from "vitest";
import { replicaSets } from "../index.ts";
import { controllerOf, controllerReference, isControlledBy } from "./owner-references.ts";

const owner = { metadata: { name: "web", uid: "u1" } };

test("a new object refers to its manager", () => {
  expect(controllerReference(owner, replicaSets)).toEqual({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "web",
    uid: "u1",
    controller: true,
    blockOwnerDeletion: true,
  });
});

test("an object's manager is the owner that controls it, identified by UID", () => {
  const other = { apiVersion: "v1", kind: "Node", name: "n", uid: "u2" };
  const pod = { metadata: { ownerReferences: [other, controllerReference(owner, replicaSets)] } };
  expect(controllerOf(pod)?.uid).toBe("u1");
  expect(isControlledBy(pod, owner)).toBe(true);
  expect(isControlledBy(pod, { metadata: { name: "web", uid: "u3" } })).toBe(false);
  expect(isControlledBy({ metadata: {} }, { metadata: {} })).toBe(false);
});
