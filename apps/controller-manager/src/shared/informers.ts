import {
  type ApiObject,
  controllerOf,
  type Lease,
  leases,
  namespaces,
  type Namespace,
  type Node,
  nodes,
  type Pod,
  pods,
  type ReplicaSet,
  replicaSets,
  type ResourceType,
} from "@kintsugi/api";
import { createInformer, type Informer, type InformerDeps, type InformerOptions } from "@kintsugi/client";

/** How pods are found without going over all of them. */
const podIndexes = {
  /** By the name of the node a pod is bound to. */
  node: (pod: Pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []),
  /** By the UID of the owner that manages it. */
  controller: controllerUid,
  /** By namespace, those that nobody manages. */
  orphan: namespaceOfOrphan,
  namespace: ({ metadata }: Pod) => [metadata.namespace ?? ""],
} as const;

function controllerUid(object: ApiObject): string[] {
  return [controllerOf(object)?.uid ?? ""].filter((uid) => uid !== "");
}

function namespaceOfOrphan(object: ApiObject): string[] {
  return controllerOf(object) ? [] : [object.metadata.namespace ?? ""];
}

/** The local copies that all controllers share: one informer per resource. */
export class Informers {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly leases: Informer<Lease>;
  readonly replicaSets: Informer<ReplicaSet>;
  readonly namespaces: Informer<Namespace>;
  readonly #deps: InformerDeps;
  readonly #byResource = new Map<string, Informer<ApiObject>>();

  constructor(deps: InformerDeps) {
    this.#deps = deps;
    this.nodes = this.of(nodes);
    this.pods = this.of(pods, { indexes: podIndexes });
    this.leases = this.of(leases);
    this.replicaSets = this.of(replicaSets, {
      indexes: { controller: controllerUid, orphan: namespaceOfOrphan },
    });
    this.namespaces = this.of(namespaces);
  }

  /** The informer of a resource; made on first use, which has to be before `run`. */
  of<T extends ApiObject>(type: ResourceType<T>, options: Omit<InformerOptions<T>, "type"> = {}): Informer<T> {
    const name = `${type.group}/${type.resource}`;
    const known = this.#byResource.get(name);
    if (known) return known as unknown as Informer<T>;
    const informer = createInformer<T>(this.#deps, { type, ...options });
    this.#byResource.set(name, informer as unknown as Informer<ApiObject>);
    return informer;
  }

  /** Follows the server until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#byResource.values()].map((informer) => informer.run(signal)));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#byResource.values()].map((informer) => informer.waitForSync(signal)));
  }
}
