import { strict as assert } from "node:assert";
import type { HandlerRequest } from "@kintsugi/client";
import type { CommittedChange, Entry } from "@kintsugi/store";
import {
  type ApiObject,
  cronJobs,
  daemonSets,
  deployments,
  endpointSlices,
  horizontalPodAutoscalers,
  jobs,
  type Node,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  resourceClaims,
  type ResourcePath,
  resourceQuotas,
  resourceSlices,
  type ResourceType,
  statefulSets,
  volumeAttachments,
  volumeSnapshotContents,
  volumeSnapshots,
} from "@kintsugi/api";

import { parsed, type WriteTarget, type Sent } from "./seen-request.ts";
import { storeResource } from "../../committed-values.ts";
import { ForcedDeletions } from "./forced-deletions.ts";
import { KnownContainers } from "./known-containers.ts";

/**
 * Leaders renew their Leases at least every 2 s, so a store that is silent for longer has no
 * server.
 */
const silenceMaxMs = 3000;

/**
 * Longer than any write waits for the slowest disk. A write waits for the previous batch and its
 * own batch, of two syncs each.
 */
const unclearMaxMs = 300_000;

const controllerManagerLease = "coordination.k8s.io/leases/kube-system/kube-controller-manager";
const nodeLeasePrefix = "coordination.k8s.io/leases/kube-node-lease/";
const leaseResource = "coordination.k8s.io/leases";

/** The kinds whose objects are parsed, for the checks that observe them or look them up. */
const observedKinds: readonly ResourceType[] = [
  pods,
  nodes,
  deployments,
  replicaSets,
  podDisruptionBudgets,
  endpointSlices,
  replicationControllers,
  jobs,
  statefulSets,
  cronJobs,
  daemonSets,
  horizontalPodAutoscalers,
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
  volumeSnapshots,
  volumeSnapshotContents,
  resourceQuotas,
  resourceClaims,
  resourceSlices,
];

interface Dependent {
  readonly key: string;
  readonly owners: readonly string[];
  readonly isDeleting: boolean;
  /** The node of a pod. */
  readonly node: string;
}

/** The objects as of the change that is being inspected, by store key, each parsed once. */
export class Known {
  /** Requests without a response yet, by their arrival. */
  readonly pending = new Map<HandlerRequest, number>();
  /**
   * Requests for which the api-server had no capacity, by their arrival. The api-server's queue may
   * still contain them.
   */
  readonly unclear = new Map<HandlerRequest, number>();
  /**
   * Open streams: the time of the last frame, or of the first wait for a frame, and whether a
   * client waits for more.
   */
  readonly streams = new Map<HandlerRequest, { heardMs: number; isRead: boolean }>();
  readonly forcedDeletions = new ForcedDeletions({ activeMs: () => this.#activeMs, node: (name) => this.node(name) });
  readonly containers = new KnownContainers();
  /** The time of the last renewal of each node's Lease, by the node's name. */
  readonly renewedMs = new Map<string, number>();

  /**
   * The key of the object with a UID, and whether it is being deleted. Leases and Events are left
   * out because checks do not need them.
   */
  readonly #byUid = new Map<string, { key: string; isDeleting: boolean }>();
  readonly #entries = new Map<string, Entry>();
  /** The parsed objects of each kind that is observed, by the store's name of the kind. */
  readonly #objects = new Map(observedKinds.map((type) => [storeResource(type), new Map<string, ApiObject>()]));
  /**
   * Leases are stored separately because they change all the time, and only a look-up of a
   * request's target needs them.
   */
  readonly #leases = new Map<string, Entry>();
  readonly #goneMs = new Map<string, number>();
  readonly #owned = new Map<string, Entry>();
  readonly #versions = new Map<string, number>();
  readonly #endingMs = new Map<string, number>();
  #activeMs = 0;
  #lookedMs = 0;

  /** Returns the objects of a kind by their store keys. */
  of<T extends ApiObject>(type: ResourceType<T>): ReadonlyMap<string, T> {
    const objects = this.#objects.get(storeResource(type));
    assert(objects !== undefined, `${type.resource} are missing in the list of observed kinds`);
    // Each map contains only the objects of its own type.
    return objects as ReadonlyMap<string, ApiObject> as ReadonlyMap<string, T>;
  }

  /** Returns the objects of a resource to change; undefined for a kind that is not observed. */
  observed(resource: string): Map<string, ApiObject> | undefined {
    return this.#objects.get(resource);
  }

  /**
   * The time during which the store commits. Without commits, processes neither receive nor write
   * data.
   */
  get activeMs(): number {
    return this.#activeMs;
  }

  moveTo(nowMs: number): void {
    this.#activeMs += Math.min(nowMs - this.#lookedMs, silenceMaxMs);
    this.#lookedMs = nowMs;
  }

  /**
   * The requests for new pods that are in flight, or whose clients may no longer wait: for each,
   * the time since its arrival, and whether its sender has ended.
   */
  creationsOfPods(): { underwayMs: number; isForsaken: boolean }[] {
    for (const [request, cameMs] of this.unclear)
      if (this.#lookedMs - cameMs > unclearMaxMs) this.unclear.delete(request);
    const asked = [...this.pending, ...this.unclear].filter(
      ([{ method, path }]) => method === "POST" && path.endsWith("/pods"),
    );
    return asked.map(([{ signal }, cameMs]) => ({
      underwayMs: this.#lookedMs - cameMs,
      isForsaken: signal.aborted,
    }));
  }

  /**
   * A new controller-manager without elections begins to control immediately, even if writes of its
   * predecessor are in flight.
   */
  get areLeadersElected(): boolean {
    return this.#leases.has(controllerManagerLease);
  }

  /** The object with that UID, if it exists. */
  byUid(uid: string): { key: string; isDeleting: boolean } | undefined {
    return this.#byUid.get(uid);
  }

  /** The time since the object was deleted; Infinity if it was never deleted. */
  goneForMs(uid: string): number {
    return this.#byUid.has(uid) ? 0 : this.#lookedMs - (this.#goneMs.get(uid) ?? 0);
  }

  /** Lists the entries of every kind except Leases and Events. */
  entriesOf(prefix: string): Entry[] {
    return [...this.#entries.values()].filter(({ key }) => key.startsWith(prefix));
  }

  /** The number of objects except Leases and Events. */
  get objectCount(): number {
    return this.#entries.size;
  }

  /** Increases with every change of the resource except Leases and Events. */
  versionOf(resource: string): number {
    return this.#versions.get(resource) ?? 0;
  }

  /** All objects with owners. */
  dependents(): Dependent[] {
    return [...this.#owned.values()].map(({ key, index: { owners = [], deleting = false, fields } }) => ({
      key,
      owners,
      isDeleting: deleting,
      node: fields?.["spec.nodeName"] ?? "",
    }));
  }

  endingNamespaces(): { key: string; deletingMs: number }[] {
    return [...this.#endingMs].map(([key, sinceMs]) => ({ key, deletingMs: this.#lookedMs - sinceMs }));
  }

  /** Returns the entry that a request addresses. */
  entryOf(path: ResourcePath): WriteTarget | undefined {
    const entry = this.#entryAt(path);
    if (!entry) return undefined;
    const { uid, fields, owners = [] } = entry.index;
    return { uid, nodeName: fields?.["spec.nodeName"] ?? "", owners };
  }

  /**
   * Returns the content of the response to a request. Usually the response is the object as
   * committed, whose few needed facts are known without parsing. If a later change was committed in
   * between, or the response is not an object, the response is parsed.
   */
  answered(path: ResourcePath, body: Uint8Array): Sent {
    const entry = this.#entryAt(path);
    if (entry === undefined || Buffer.compare(entry.value, body) !== 0) return parsed(body);
    return { metadata: { uid: entry.index.uid, name: path.name } };
  }

  remember({ resource, type, entry }: CommittedChange): void {
    const { uid, deleting = false } = entry.index;
    if (resource === leaseResource) {
      if (entry.key.startsWith(nodeLeasePrefix))
        this.renewedMs.set(entry.key.slice(nodeLeasePrefix.length), this.#lookedMs);
      if (type === "put") this.#leases.set(entry.key, entry);
      else this.#leases.delete(entry.key);
      return;
    }
    if (resource.endsWith("/events")) return;
    this.#versions.set(resource, this.versionOf(resource) + 1);
    if (type === "put") this.#entries.set(entry.key, entry);
    else this.#entries.delete(entry.key);
    if (type === "put" && (entry.index.owners?.length ?? 0) > 0) this.#owned.set(entry.key, entry);
    else this.#owned.delete(entry.key);
    if (resource === "core/namespaces" && type === "put" && deleting) {
      if (!this.#endingMs.has(entry.key)) this.#endingMs.set(entry.key, this.#lookedMs);
    } else this.#endingMs.delete(entry.key);
    if (type === "put") this.#byUid.set(uid, { key: entry.key, isDeleting: deleting });
    else if (this.#byUid.delete(uid)) this.#goneMs.set(uid, this.#lookedMs);
  }

  #entryAt({ namespace, name, ...type }: ResourcePath): Entry | undefined {
    if (name === "") return undefined;
    const key = `${storeResource(type)}/${namespace || "_"}/${name}`;
    return this.#entries.get(key) ?? this.#leases.get(key);
  }

  node(name: string): Node | undefined {
    return this.of(nodes).get(`core/nodes/_/${name}`);
  }
}

/** The object's name in messages: "default/web-x7". */
export function nameOf({ metadata }: ApiObject): string {
  return metadata.namespace === undefined ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name}`;
}
