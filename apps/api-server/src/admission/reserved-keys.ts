import { configAnnotations, forbidden, type Pod, pods, type ResourceType, terminationsAnnotation } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import { nodeNameOf } from "../authorization/node-identity.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { AdmissionRequest, AdmissionStep } from "./admission.ts";

/**
 * A key that a component trusts so much that the right to write the object does not suffice to
 * write the key. docs/annotations.md lists all keys with their writers.
 * packages/rules/src/kubelet-labels.ts has the labels that nodes may not write on their Node.
 */
export interface ReservedKey {
  readonly on: ResourceType;
  readonly map: "annotations" | "labels";
  /** The key, as docs/annotations.md names it. */
  readonly key: string;
  covers(key: string): boolean;
  /** The wording of the rejection, which docs/annotations.md repeats. */
  readonly writers: string;
  mayWrite(user: UserInfo, object: KubeObject): boolean;
}

export const reservedKeys: readonly ReservedKey[] = [
  {
    on: pods,
    map: "annotations",
    key: configAnnotations.mirror,
    covers: (key) => key === configAnnotations.mirror,
    writers: "the node that the pod is bound to",
    mayWrite: (user, object) => {
      const nodeName = nodeNameOf(user);
      return nodeName !== undefined && nodeName !== "" && (object as Pod).spec?.nodeName === nodeName;
    },
  },
  {
    on: pods,
    map: "annotations",
    key: "every other annotation of a Pod that exists",
    covers: (key) => key !== configAnnotations.mirror && key !== terminationsAnnotation,
    writers: "users and controllers",
    // A mirror pod belongs entirely to its node; NodeRestriction allows a node to create only
    // mirror pods.
    mayWrite: (user, { metadata }) =>
      nodeNameOf(user) === undefined || metadata.annotations?.[configAnnotations.mirror] !== undefined,
  },
];

/**
 * Kintsugi's own rule: upstream trusts such keys by convention, and allows every user who may
 * create pods to create mirror pods.
 */
export const reservedKeysStep: AdmissionStep = {
  name: "ReservedKeys",
  handles: { operations: ["create", "update"], resources: reservedKeys.map(({ on }) => on) },
  validate: (request) => {
    const { object, user, resource } = request;
    if (object?.metadata === undefined || !isWriteOfObject(request)) return undefined;
    for (const row of reservedKeys) {
      if (row.on.kind !== resource.type.kind || row.on.group !== resource.type.group) continue;
      const key = changedKeys(request, row.map).find((each) => row.covers(each));
      if (key === undefined || row.mayWrite(user, object)) continue;
      const what = row.map === "annotations" ? "annotation" : "label";
      const because = `${what} ${JSON.stringify(key)} is reserved: only ${row.writers} may set, change or remove it`;
      return forbidden(resource.type, object.metadata.name || object.metadata.generateName || request.name, because);
    }
    return undefined;
  },
};

/**
 * Bodies of other subresources (Eviction, TokenRequest) do not change the object's metadata; a
 * Binding's metadata is merged into the pod's.
 */
function isWriteOfObject({ operation, subresource }: AdmissionRequest): boolean {
  return operation === "update" || (operation === "create" && (subresource === "" || subresource === "binding"));
}

function changedKeys({ object, before, subresource }: AdmissionRequest, map: ReservedKey["map"]): string[] {
  const then = before?.metadata[map] ?? {};
  const now = { ...(subresource === "binding" ? then : {}), ...object?.metadata[map] };
  return [...new Set([...Object.keys(now), ...Object.keys(then)])].filter(
    (key) => !Object.hasOwn(now, key) || !Object.hasOwn(then, key) || now[key] !== then[key],
  );
}
