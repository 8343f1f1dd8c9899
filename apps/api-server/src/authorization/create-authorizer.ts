import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceSlice,
  type VolumeAttachment,
} from "@kintsugi/api";
import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer, UserInfo } from "./authorization.ts";
import { DecisionCache } from "./decision-cache.ts";
import { authorizeNode, selectsField } from "./node/node-authorizer.ts";
import { NodeGraph, type Place } from "./node/node-graph.ts";
import { authorizeByRoles } from "./rbac/rbac-authorizer.ts";
import { type PolicyObject, RolePolicy } from "./rbac/role-policy.ts";
import { rulesOfRoles, type RulesOfUser, withEveryRight } from "./rbac/rules-of-user.ts";

/** Members have every right regardless of roles, so that a broken policy can be repaired. */
const privilegedGroup = "system:masters";

const policyGroup = "rbac.authorization.k8s.io";
const policyResources = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"] as const;
const podResource = "core/pods";

/** Reads roles, bindings and pods once; afterwards `observe` receives the changes. */
export function createAuthorizer({ store }: { store: Pick<Store, "list" | "find"> }): Authorizer {
  const authorizer = new StoreAuthorizer(store);
  for (const resource of policyResources) {
    authorizer.load(store.list(`${policyGroup}/${resource}/`).entries);
  }
  authorizer.load(store.list(`${podResource}/`).entries);
  return authorizer;
}

class StoreAuthorizer implements Authorizer {
  readonly #policy = new RolePolicy();
  readonly #graph: NodeGraph;
  readonly #cache = new DecisionCache();
  #generation = 0;

  constructor(store: Pick<Store, "find">) {
    const find = <T>(key: string): T | undefined => {
      const entry = store.find(key);
      return entry === undefined ? undefined : (parse(entry) as T);
    };
    this.#graph = new NodeGraph({
      findPod: ({ namespace, name }) => find<Pod>(`${podResource}/${namespace}/${name}`),
      findClaim: ({ namespace, name }) =>
        find<PersistentVolumeClaim>(`core/persistentvolumeclaims/${namespace}/${name}`),
      findVolume: (name) => find<PersistentVolume>(`core/persistentvolumes/_/${name}`),
      findAttachment: (name) => find<VolumeAttachment>(`storage.k8s.io/volumeattachments/_/${name}`),
      findSlice: (name) => find<ResourceSlice>(`resource.k8s.io/resourceslices/_/${name}`),
    });
  }

  load(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#put(entry);
    }
  }

  authorize(requested: AuthorizationAttributes): AuthorizationDecision {
    if (requested.user.groups.includes(privilegedGroup)) {
      return { allowed: true, reason: "" };
    }
    const attributes = withSelectedName(requested);
    const byNode = authorizeNode(this.#graph, attributes);
    if (byNode.allowed) {
      return byNode;
    }
    const byRoles = this.#authorizeByRoles(attributes);
    const reason = [byNode.reason, byRoles.reason].filter((text) => text !== "").join("\n");
    return byRoles.allowed ? byRoles : { allowed: false, reason };
  }

  generation(): number {
    return this.#generation;
  }

  rulesFor(user: UserInfo, namespace: string): RulesOfUser {
    const rules = rulesOfRoles(this.#policy.rolesOf(user, namespace));
    return user.groups.includes(privilegedGroup) ? withEveryRight(rules) : rules;
  }

  observe(changes: readonly CommittedChange[]): void {
    for (const change of changes) {
      if (change.type === "put") {
        this.#put(change.entry, change.before);
      } else {
        this.#remove(change.entry);
      }
    }
  }

  #authorizeByRoles(attributes: AuthorizationAttributes): AuthorizationDecision {
    const known = this.#cache.find(attributes);
    if (known !== undefined) {
      return known;
    }
    const decision = authorizeByRoles(this.#policy, attributes);
    this.#cache.keep(attributes, decision);
    return decision;
  }

  #put(entry: Entry, before?: Entry): void {
    const place = placeOf(entry.key);
    if (place.kind === "pod") {
      this.#putPod(place, entry, before);
    } else if (place.kind === "policy") {
      this.#policy.put({ resource: place.resource, object: parse(entry) } as PolicyObject);
      this.#policyChanged();
    }
  }

  #putPod(place: Place, entry: Entry, before: Entry | undefined): void {
    const [nodeName, nodeNameBefore] = [nodeNameIn(entry), nodeNameIn(before)];
    if (nodeName === nodeNameBefore && entry.index.uid === before?.index.uid) {
      this.#graph.rereadPod(place);
    } else if (nodeName !== "" || nodeNameBefore !== "") {
      this.#graph.putPod(place, nodeName);
      this.#generation += 1;
    }
  }

  #remove(entry: Entry): void {
    const place = placeOf(entry.key);
    if (place.kind === "pod") {
      this.#graph.removePod(place);
      this.#generation += 1;
    } else if (place.kind === "policy") {
      this.#policy.remove(place.resource, place);
      this.#policyChanged();
    }
  }

  #policyChanged(): void {
    this.#cache.clear();
    this.#generation += 1;
  }
}

/**
 * A list or watch that selects `metadata.name=x` is a request for that name (upstream's
 * RequestInfoFactory).
 */
function withSelectedName(attributes: AuthorizationAttributes): AuthorizationAttributes {
  const selects = attributes.name === "" && ["list", "watch", "deletecollection"].includes(attributes.verb);
  const name = selects ? selectsField(attributes, "metadata.name") : undefined;
  return name === undefined ? attributes : { ...attributes, name };
}

type KeyPlace =
  | { kind: "pod"; namespace: string; name: string }
  | { kind: "policy"; resource: PolicyObject["resource"]; namespace: string; name: string }
  | { kind: "other" };

function placeOf(key: string): KeyPlace {
  const [group = "", resource = "", scope = "", name = ""] = key.split("/");
  const namespace = scope === "_" ? "" : scope;
  if (group === "core" && resource === "pods") {
    return { kind: "pod", namespace, name };
  }
  const policyResource = group === policyGroup ? policyResources.find((known) => known === resource) : undefined;
  return policyResource === undefined
    ? { kind: "other" }
    : { kind: "policy", resource: policyResource, namespace, name };
}

function nodeNameIn(entry: Entry | undefined): string {
  return entry?.index.fields?.["spec.nodeName"] ?? "";
}

function parse(entry: Entry): unknown {
  return JSON.parse(new TextDecoder().decode(entry.value));
}
