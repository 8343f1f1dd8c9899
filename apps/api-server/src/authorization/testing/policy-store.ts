import type { JsonObject } from "@kintsugi/api";
import type { CommittedChange, Entry, Page } from "@kintsugi/store";
import type { AuthorizationAttributes, UserInfo } from "../authorization.ts";

const resources: Readonly<Record<string, string>> = {
  Role: "rbac.authorization.k8s.io/roles",
  ClusterRole: "rbac.authorization.k8s.io/clusterroles",
  RoleBinding: "rbac.authorization.k8s.io/rolebindings",
  ClusterRoleBinding: "rbac.authorization.k8s.io/clusterrolebindings",
  Pod: "core/pods",
  PersistentVolume: "core/persistentvolumes",
  PersistentVolumeClaim: "core/persistentvolumeclaims",
  VolumeAttachment: "storage.k8s.io/volumeattachments",
  ResourceSlice: "resource.k8s.io/resourceslices",
};

/**
 * The part of a store that the authorizer reads: entries by prefix, and the changes that it would
 * observe.
 */
export class PolicyStore {
  readonly #entries = new Map<string, Entry>();
  #revision = 0;

  constructor(objects: readonly JsonObject[] = []) {
    for (const object of objects) {
      this.put(object);
    }
  }

  find(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  list(prefix: string): Page {
    const entries = [...this.#entries.values()].filter(({ key }) => key.startsWith(prefix));
    return { entries, revision: this.#revision, more: false, remaining: 0 };
  }

  put(object: JsonObject): CommittedChange {
    const before = this.#entries.get(keyOf(object));
    this.#revision += 1;
    const entry = entryOf(object, this.#revision);
    this.#entries.set(entry.key, entry);
    return this.#change("put", entry, before);
  }

  delete(object: JsonObject): CommittedChange {
    const before = this.#entries.get(keyOf(object));
    this.#revision += 1;
    this.#entries.delete(keyOf(object));
    return this.#change("delete", entryOf(object, this.#revision), before);
  }

  #change(type: "put" | "delete", entry: Entry, before: Entry | undefined): CommittedChange {
    const resource = entry.key.split("/").slice(0, 2).join("/");
    return { revision: entry.revision, resource, previousOfResource: 0, type, entry, before };
  }
}

function keyOf(object: JsonObject): string {
  const { name = "", namespace = "_" } = object["metadata"] as { name?: string; namespace?: string };
  return `${resources[String(object["kind"] as string)]}/${namespace}/${name}`;
}

function entryOf(object: JsonObject, revision: number): Entry {
  const { uid = "" } = object["metadata"] as { uid?: string };
  const { nodeName = "" } = (object["spec"] ?? {}) as { nodeName?: string };
  const value = new TextEncoder().encode(JSON.stringify(object));
  return { key: keyOf(object), revision, value, index: { uid, fields: { "spec.nodeName": nodeName } } };
}

export function aUser(name: string, ...groups: string[]): UserInfo {
  return { name, groups };
}

/** A kubelet's user. */
export function aNodeUser(nodeName: string): UserInfo {
  return { name: `system:node:${nodeName}`, groups: ["system:nodes", "system:authenticated"] };
}

/** Makes a request from kubectl's words, `"get pods/log"`, with the other attributes by name. */
export function aRequest(
  user: UserInfo,
  words: string,
  rest: Partial<AuthorizationAttributes> = {},
): AuthorizationAttributes {
  const [verb = "", what = ""] = words.split(" ");
  const [resource = "", subresource = ""] = what.split("/");
  const target = what.startsWith("/")
    ? { resource: "", subresource: "", path: what }
    : { resource, subresource, path: "" };
  return {
    user,
    verb,
    group: "",
    version: "v1",
    namespace: "",
    name: "",
    fieldSelector: "",
    labelSelector: "",
    ...target,
    ...rest,
  };
}
