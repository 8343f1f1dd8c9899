import type { ContainerHappening } from "@kintsugi/cri/simulated";

/** A container of the simulated runtimes, from its creation until it is removed. */
export interface KnownContainer {
  readonly id: string;
  readonly node: string;
  /** The store key of its pod. */
  readonly podKey: string;
  readonly uid: string;
  readonly name: string;
  readonly attempt: number;
  readonly createdAtMs: number;
  /** Undefined before its start. */
  startedAtMs: number | undefined;
  /** Undefined before its end. */
  finishedAtMs: number | undefined;
  /** Undefined before its end. */
  exitCode: number | undefined;
}

/** An event of a container, in the view of invariants. */
export interface SeenContainer {
  readonly type: ContainerHappening["type"];
  readonly container: KnownContainer;
  readonly sandboxReady: boolean;
}

/** All containers of all nodes, including containers that their kubelets have not seen. */
export class KnownContainers {
  readonly #byId = new Map<string, KnownContainer>();

  all(): Iterable<KnownContainer> {
    return this.#byId.values();
  }

  running(uid: string): KnownContainer[] {
    return [...this.#byId.values()].filter((container) => container.uid === uid && isRunning(container));
  }

  happened(node: string, { type, container, sandboxReady }: ContainerHappening, nowMs: number): SeenContainer {
    const { id, labels, metadata } = container;
    const known = this.#byId.get(id) ?? {
      id,
      node,
      podKey: `core/pods/${labels["io.kubernetes.pod.namespace"]}/${labels["io.kubernetes.pod.name"]}`,
      uid: labels["io.kubernetes.pod.uid"] ?? "",
      ...metadata,
      createdAtMs: nowMs,
      startedAtMs: undefined,
      finishedAtMs: undefined,
      exitCode: undefined,
    };
    this.#byId.set(id, known);
    if (type === "started") known.startedAtMs = nowMs;
    if (type === "stopped") Object.assign(known, { finishedAtMs: nowMs, exitCode: container.exitCode });
    if (type === "deleted") this.#byId.delete(id);
    return { type, container: known, sandboxReady };
  }
}

export function isRunning({ startedAtMs, finishedAtMs }: KnownContainer): boolean {
  return startedAtMs !== undefined && finishedAtMs === undefined;
}

/** The container's name in messages: "default/web-x7/main#2". */
export function containerName({ podKey, name, attempt }: KnownContainer): string {
  return `${podKey.slice("core/pods/".length)}/${name}#${attempt}`;
}
