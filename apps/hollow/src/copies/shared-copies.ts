import { type ApiObject, type Logger, type Node, nodes, type Pod, pods, type Service, services } from "@kintsugi/api";
import { type Client, createInformer, type Informer, type InformerDeps, type InformerOptions } from "@kintsugi/client";
import { type Clock, onAbort, type Random, untilAborted } from "@kintsugi/clock";
import { indexesBy, type ReadingNode, type Source, sourceOf } from "./source.ts";
import { StartGate, type StartGateDeps } from "./start-gate.ts";
import { View, type ViewDeps } from "./view.ts";

/**
 * Limit of ConfigMaps and Secrets that are watched concurrently, each by a connection. Kubelets
 * read further objects at each sync of their pods. The limit is less than the number of connections
 * of a client's transport.
 */
const singlesMax = 900;

export interface SharedCopiesDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface Single {
  readonly source: Source<ApiObject>;
  readonly stop: AbortController;
  views: number;
}

/** The process of one kubelet, in the view of its copies. */
export interface Viewer {
  readonly node: ReadingNode;
  readonly deliver: ViewDeps<ApiObject>["deliver"];
}

/**
 * One copy of the API's objects for all kubelets of this process: three watches for pods, nodes and
 * Services, and one for each ConfigMap or Secret, however many nodes there are.
 */
export class SharedCopies {
  readonly #deps: SharedCopiesDeps;
  readonly #pods: Source<Pod>;
  readonly #nodes: Source<Node>;
  readonly #services: Source<Service>;
  readonly #singles = new Map<string, Single>();

  /** @param isOwn reports whether a node of this name is one of this process. */
  constructor(
    deps: SharedCopiesDeps,
    { isOwn, startsLate }: { isOwn: (nodeName: string) => boolean; startsLate: StartGateDeps["startsLate"] },
  ) {
    this.#deps = deps;
    const boundTo = (pod: Pod) => pod.spec?.nodeName ?? "";
    const named = (node: Node) => node.metadata.name ?? "";
    this.#pods = sourceOf(
      createInformer(deps, { type: pods, keeps: (pod) => isOwn(boundTo(pod)), indexes: indexesBy(boundTo) }),
      boundTo,
      (tell) => new StartGate({ clock: deps.clock, startsLate }, tell),
    );
    this.#nodes = sourceOf(
      createInformer(deps, { type: nodes, keeps: (node) => isOwn(named(node)), indexes: indexesBy(named) }),
      named,
    );
    this.#services = sourceOf(createInformer(deps, { type: services }), undefined);
  }

  /** The pods of this process's nodes. */
  get pods(): Informer<Pod> {
    return this.#pods.informer;
  }

  /** The Nodes of this process. */
  get nodes(): Informer<Node> {
    return this.#nodes.informer;
  }

  /** Returns a function that makes one kubelet's informers. Each is a view of a shared copy. */
  viewsOf({ node, deliver }: Viewer): typeof createInformer {
    return <T extends ApiObject>(_: InformerDeps, options: InformerOptions<T>): Informer<T> => {
      const open = (signal: AbortSignal) => this.#open(options as unknown as InformerOptions<ApiObject>, signal);
      return new View<T>({ open: open as unknown as ViewDeps<T>["open"], deliver }, { ...options, viewer: node });
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    onAbort(signal, () => {
      for (const { stop } of this.#singles.values()) stop.abort(signal.reason);
    });
    const informers = [this.#pods, this.#nodes, this.#services].map(({ informer }) => informer.run(signal));
    await Promise.all(informers);
    await untilAborted(signal);
  }

  #open(options: InformerOptions<ApiObject>, signal: AbortSignal): Source<ApiObject> | undefined {
    if (options.name !== undefined) return this.#openSingle(options, signal);
    switch (options.type.resource) {
      case pods.resource:
        return this.#pods as unknown as Source<ApiObject>;
      case nodes.resource:
        return this.#nodes as unknown as Source<ApiObject>;
      case services.resource:
        return this.#services as unknown as Source<ApiObject>;
      default:
        throw new TypeError(`kubelets of one process share no copy of ${options.type.resource}`);
    }
  }

  #openSingle(
    { type, namespace, name }: InformerOptions<ApiObject>,
    signal: AbortSignal,
  ): Source<ApiObject> | undefined {
    const key = `${type.resource}/${namespace ?? ""}/${name ?? ""}`;
    const single =
      this.#singles.get(key) ?? this.#startSingle(key, { type, namespace, name } as InformerOptions<ApiObject>);
    if (single === undefined) return undefined;
    single.views++;
    onAbort(signal, () => {
      single.views--;
      if (single.views > 0 || this.#singles.get(key) !== single) return;
      this.#singles.delete(key);
      single.stop.abort(new Error("no pod uses it"));
    });
    return single.source;
  }

  #startSingle(key: string, options: InformerOptions<ApiObject>): Single | undefined {
    if (this.#singles.size >= singlesMax) return undefined;
    const informer = createInformer(this.#deps, options);
    const single: Single = { source: sourceOf(informer, undefined), stop: new AbortController(), views: 0 };
    this.#singles.set(key, single);
    void informer.run(single.stop.signal).catch((error: unknown) => {
      if (single.stop.signal.aborted) return;
      // Kubelets read the object again at each sync of their pods, and the next kubelet that
      // follows the object begins another watch.
      this.#singles.delete(key);
      this.#deps.log.error("watch ended", { object: key, error });
    });
    return single;
  }
}
