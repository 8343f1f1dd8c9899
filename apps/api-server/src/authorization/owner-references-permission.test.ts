import { type JsonObject, nodes, pods, replicaSets } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { AdmissionAttributes, AuthorizationAdmission } from "./admission-attributes.ts";
import { createAuthorizer, ownerReferencesPermission } from "./index.ts";
import { aWrite } from "./testing/admission.ts";
import { PolicyStore } from "./testing/policy-store.ts";

const group = "rbac.authorization.k8s.io";
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u" };
const blocking = { ...owner, blockOwnerDeletion: true };
const nodeOwner = { apiVersion: "v1", kind: "Node", name: "n", uid: "n", blockOwnerDeletion: true };

function aPod(...ownerReferences: JsonObject[]): JsonObject {
  return { metadata: { name: "web", ...(ownerReferences.length > 0 && { ownerReferences }) } };
}

function check(held: string[], write: AdmissionAttributes): string {
  const rules = held.map((right) => {
    const [verb = "", resource = ""] = right.split(" ");
    return { verbs: [verb], apiGroups: ["*"], resources: [resource] };
  });
  const store = new PolicyStore([
    { kind: "ClusterRole", metadata: { name: "held" }, rules },
    {
      kind: "ClusterRoleBinding",
      metadata: { name: "b" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "held" },
      subjects: [{ kind: "User", name: "jane" }],
    },
  ]);
  const permission: AuthorizationAdmission["ownerReferencesPermission"] = ownerReferencesPermission;
  const refusal = permission(write, {
    authorizer: createAuthorizer({ store }),
    resourceOf: (apiVersion, kind) =>
      [nodes, replicaSets].find((type) => type.kind === kind && apiVersion.endsWith("v1")),
  });
  return refusal?.message ?? "admitted";
}

const create = (...owners: JsonObject[]) =>
  aWrite(pods, { namespace: "default", name: "web", object: aPod(...owners) });
const update = (before: JsonObject, object: JsonObject, more: Partial<AdmissionAttributes> = {}) =>
  aWrite(pods, { operation: "update", namespace: "default", name: "web", object, before, ...more });

const rows: [name: string, held: string[], write: AdmissionAttributes, result: string][] = [
  ["no owners", [], create(), "admitted"],
  ["an owner on creation", [], create(owner), "admitted"],
  [
    "a blocking owner without rights on it",
    [],
    create(blocking),
    `pods "web" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
  ],
  ["a blocking owner with rights on its finalizers", ["update replicasets/finalizers"], create(blocking), "admitted"],
  ["a blocking owner outside namespaces", ["update nodes/finalizers"], create(nodeOwner), "admitted"],
  [
    "one of two blocking owners without rights",
    ["update nodes/finalizers"],
    create(nodeOwner, blocking),
    `pods "web" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
  ],
  [
    "a blocking owner of a kind that is not served",
    [],
    create({ ...blocking, kind: "Widget" }),
    `pods "web" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Widget: no matches for kind "Widget" in version "apps/v1"`,
  ],
  ["an unchanged owner", [], update(aPod(blocking), aPod(blocking)), "admitted"],
  [
    "a new owner without the right to delete",
    [],
    update(aPod(), aPod(owner)),
    `pods "web" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
  ],
  ["a new owner with the right to delete", ["delete pods"], update(aPod(), aPod(owner)), "admitted"],
  [
    "an owner that is removed, without the right to delete",
    [],
    update(aPod(owner), aPod()),
    `pods "web" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
  ],
  [
    "an owner that begins to block",
    ["delete pods"],
    update(aPod(owner), aPod(blocking)),
    `pods "web" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
  ],
  ["an owner that stops to block", ["delete pods"], update(aPod(blocking), aPod(owner)), "admitted"],
  [
    "another owner next to a blocking owner",
    ["delete pods"],
    update(aPod(blocking), aPod(blocking, { ...owner, uid: "v" })),
    "admitted",
  ],
  ["pod status, which cannot change owners", [], update(aPod(), aPod(owner), { subresource: "status" }), "admitted"],
  ["a deletion", [], aWrite(pods, { operation: "delete", name: "web", before: aPod(blocking) }), "admitted"],
];

test.each(rows)("%s", (_name, held, write, result) => {
  expect(check(held, write)).toBe(result);
});
