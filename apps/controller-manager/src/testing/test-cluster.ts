import type { KeyObject } from "node:crypto";
import { setMaxListeners } from "node:events";
import {
  type ApiObject,
  formatTimestamp,
  isPodTerminal,
  type Logger,
  type Metrics,
  type Namespace,
  type Node,
  type Pod,
  type ReplicaSet,
  silentLogger,
  silentMetrics,
} from "@kintsugi/api";
import { storedTypes } from "@kintsugi/api/testing";
import { type Client, createInProcessClient, type HandlerRequest, type HandlerResponse } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { assembleControllers, type ControllerPlan, type EventNote } from "@kintsugi/controller";
import { type ControllerManagerOptions, controllerDefaults } from "../controller-options.ts";
import type { Inputs, World } from "../context.ts";
import { answerScale } from "./scale-of-objects.ts";
import { EvictionBudgets } from "../shared/disruption-budgets/eviction-budgets.ts";

/** The outcome of a request before it reaches the API. */
export type Interference = (
  request: HandlerRequest,
) => "pass" | "refuse" | "hang" | "late" | "lose answer" | "never answer";

type Definition = { name: string; plan(inputs: Surroundings): ControllerPlan<Surroundings & World> };
type Surroundings = Inputs & { options: ControllerManagerOptions };

/**
 * An API in memory, a virtual clock, and controllers that run against them: one process that can be
 * stopped and restarted.
 */
export class ControllerTestCluster {
  readonly clock = new VirtualClock();
  readonly random = new SeededRandom(1);
  readonly api: MemoryApi;
  readonly events: EventNote[] = [];
  /** The components for which events were recorded. */
  readonly eventSources = new Set<string>();
  /** The requests that were answered: "PUT /api/v1/namespaces/a/finalize". */
  readonly paths: string[] = [];
  options: ControllerManagerOptions;
  metrics: Metrics = silentMetrics;
  rootCa = "";
  tokenKey: KeyObject | undefined;
  log: Logger = silentLogger;
  interfere: Interference = () => "pass";
  /**
   * Responses of other servers by their path without its query; no other component serves these
   * paths.
   */
  readonly answers = new Map<string, object>();
  /** The delay of a watch's events by its path, in ms. */
  delay: (path: string) => number = () => 0;
  #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #life = { ended: false };

  constructor(options: Partial<ControllerManagerOptions> = {}) {
    this.options = { ...controllerDefaults(), ...options };
    this.api = new MemoryApi({ clock: this.clock, random: this.random }, storedTypes);
  }

  client(life: { ended: boolean } = { ended: false }): Client {
    const handle = (request: HandlerRequest) => (life.ended ? never() : this.#handle(request, life));
    return createInProcessClient(
      { handler: { handle }, clock: this.clock, random: this.random },
      { identity: { name: "system:kube-controller-manager", groups: [] } },
    );
  }

  /** Starts controllers as a new process would: with only the API's objects. */
  async start(...definitions: readonly Definition[]): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    setMaxListeners(0, signal);
    this.#life = { ended: false };
    const { clock, log, metrics, options, random, rootCa, tokenKey } = this;
    const client = this.client(this.#life);
    const eventsAs = (component: string) => (note: EventNote) => {
      this.events.push(note);
      this.eventSources.add(component);
    };
    const inputs: Surroundings = {
      client,
      clock,
      eventsAs,
      log,
      metrics,
      options,
      random,
      rootCa,
      tokenKey,
      served: storedTypes,
    };
    const assembly = assembleControllers<Surroundings, Surroundings & World>(definitions, inputs, {
      client,
      clock,
      random,
    });
    const { informers } = assembly;
    const budgets = new EvictionBudgets({ client, clock, informers, options });
    const controllers = assembly.make({ ...inputs, informers, budgets });
    const following = informers.run(signal);
    await this.clock.settle();
    await informers.waitForSync(signal);
    this.#running = Promise.allSettled([following, ...controllers.map((controller) => controller.run(signal))]);
    await this.clock.settle();
  }

  /**
   * Ends the process in the middle of its work. It does not send further requests, and does not
   * receive responses.
   */
  async kill(): Promise<void> {
    this.#life.ended = true;
    this.#stop.abort(new Error("killed"));
    await this.clock.settle();
  }

  /** Sends the process the signal to stop, and waits until it has stopped. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("stopped"));
    await this.#running;
  }

  /** An object as the API stores it. */
  find<T extends ApiObject>(resource: string, name: string, namespace = "default"): T | undefined {
    return (this.api.log.find(resource, namespace, name) ?? this.api.log.find(resource, "", name)) as T | undefined;
  }

  node(name: string): Node {
    const node = this.find<Node>("nodes", name, "");
    if (!node) throw new Error(`no node ${name}`);
    return node;
  }

  pods(): Pod[] {
    return this.api.log.list("pods") as Pod[];
  }

  put(resource: string, object: ApiObject): void {
    this.api.log.put(resource, object);
  }

  remove(resource: string, object: ApiObject): void {
    this.api.log.delete(resource, object);
  }

  reasons(): string[] {
    return this.events.map(({ reason, message }) => `${reason}: ${message}`);
  }

  async #handle(request: HandlerRequest, life: { ended: boolean }): Promise<HandlerResponse> {
    const verdict = this.interfere(request);
    if (verdict === "refuse") throw new Error("connection reset");
    if (verdict === "hang" || life.ended) return never();
    if (verdict === "late") await this.clock.sleep(10);
    const discovered = discovery(request.path);
    if (discovered) return discovered;
    const known = this.#answerOf(request);
    if (known) return this.#answered(request, known, verdict);
    const answer = await (this.#terminates(request) ? this.#terminate(request) : this.api.handle(addressed(request)));
    if (request.method === "PATCH") this.#removeReleased(request);
    this.paths.push(`${request.method} ${request.path}`);
    if (verdict === "lose answer") throw new Error("connection reset");
    if (verdict === "never answer") return never();
    const { body } = answer;
    return body instanceof Uint8Array ? answer : { ...answer, body: this.#delayed(body, request.path) };
  }

  #answerOf(request: HandlerRequest): HandlerResponse | undefined {
    const [path = ""] = request.path.split("?");
    const other = this.answers.get(path);
    if (other) return jsonAnswer(other);
    return path.endsWith("/scale") ? answerScale(this.api.log, request) : undefined;
  }

  #answered(
    request: HandlerRequest,
    answer: HandlerResponse,
    verdict: ReturnType<Interference>,
  ): HandlerResponse | Promise<never> {
    this.paths.push(`${request.method} ${request.path}`);
    if (verdict === "lose answer") throw new Error("connection reset");
    return verdict === "never answer" ? never() : answer;
  }

  async *#delayed(body: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array, void> {
    for await (const part of body) {
      const delayMs = this.delay(path);
      if (delayMs > 0) await this.clock.sleep(delayMs);
      yield part;
    }
  }

  /** A pod that is being deleted without a kubelet is removed with its last finalizer. */
  #removeReleased(request: HandlerRequest): void {
    const pod = this.#podOf(request);
    if (pod?.metadata.deletionTimestamp === undefined || (pod.metadata.finalizers ?? []).length > 0) return;
    if ((pod.spec?.nodeName ?? "") === "" || isPodTerminal(pod)) this.remove("pods", pod);
  }

  /**
   * A pod on a node is deleted by its kubelet, and a pod with finalizers once they are removed;
   * until then it is terminating.
   */
  #terminates(request: HandlerRequest): boolean {
    if (request.method !== "DELETE" || !request.path.includes("/pods/")) return false;
    const pod = this.#podOf(request);
    const options = bodyOf(request);
    const isPrecise = options.preconditions?.uid === undefined || options.preconditions.uid === pod?.metadata.uid;
    if (pod === undefined || !isPrecise) return false;
    if ((pod.metadata.finalizers ?? []).length > 0) return true;
    return options.gracePeriodSeconds !== 0 && (pod.spec?.nodeName ?? "") !== "";
  }

  #terminate(request: HandlerRequest): Promise<HandlerResponse> {
    const pod = this.#podOf(request);
    const deletionTimestamp = formatTimestamp(this.clock.nowMs());
    const next = { ...pod, metadata: { ...pod?.metadata, deletionTimestamp } };
    if (pod && pod.metadata.deletionTimestamp === undefined) this.put("pods", next);
    const body = Buffer.from(JSON.stringify(next));
    return Promise.resolve({ status: 200, headers: { "content-type": "application/json" }, body });
  }

  #podOf(request: HandlerRequest): Pod | undefined {
    const [, namespace = "", name = ""] = /namespaces\/([^/]+)\/pods\/([^/?]+)/.exec(request.path) ?? [];
    return this.find<Pod>("pods", name, namespace);
  }
}

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** The kinds that are served: in one group and version, or all kinds in the aggregated form. */
function discovery(path: string): HandlerResponse | undefined {
  if (path === "/api" || path === "/apis") return jsonAnswer({ kind: "APIGroupDiscoveryList", items: groupsAt(path) });
  const [, group = "", version] = /^\/(?:api|apis\/([^/]+))\/(v\d[^/]*)$/.exec(path) ?? [];
  const types = storedTypes.filter((t) => t.group === group && t.version === version);
  if (version === undefined || types.length === 0) return undefined;
  const resources = types.flatMap(({ resource }) => [
    { name: resource, verbs },
    { name: `${resource}/status`, verbs: ["get"] },
  ]);
  return jsonAnswer({ kind: "APIResourceList", apiVersion: "v1", resources });
}

function groupsAt(root: "/api" | "/apis") {
  const types = storedTypes.filter(({ group }) => (group === "") === (root === "/api"));
  return types.map(({ group, version, resource, singular, kind, namespaced, shortNames, categories }) => {
    const scope = namespaced ? "Namespaced" : "Cluster";
    const responseKind = { group, version, kind };
    const served = { resource, singularResource: singular, responseKind, scope, shortNames, categories, verbs };
    return { metadata: { name: group }, versions: [{ version, freshness: "Current", resources: [served] }] };
  });
}

function jsonAnswer(body: object): HandlerResponse {
  const headers = { "content-type": "application/json" };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
}

/**
 * The API in memory mistakes a subresource of a namespace for a resource in it; for that API,
 * subresources are the object itself.
 */
function addressed(request: HandlerRequest): HandlerRequest {
  const path = request.path.replace(/^(\/api\/v1\/namespaces\/[^/]+)\/(status|finalize)$/, "$1");
  return { ...request, path, signal: request.signal };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function bodyOf(request: HandlerRequest): {
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string };
} {
  return request.body ? (JSON.parse(Buffer.from(request.body).toString()) as object) : {};
}

export interface NodeTraits {
  labels?: Record<string, string>;
  ready?: "True" | "False" | "Unknown" | "none";
  taints?: NonNullable<Node["spec"]>["taints"];
  nowMs?: number;
}

export function aNode(name: string, traits: NodeTraits = {}): Node {
  const { labels = {}, ready = "True", taints, nowMs = 1_767_225_600_000 } = traits;
  const time = formatTimestamp(nowMs);
  const stamps = { lastHeartbeatTime: time, lastTransitionTime: time };
  const pressure = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-of-${name}`, labels, creationTimestamp: time },
    spec: taints ? { taints } : {},
    status: {
      conditions:
        ready === "none"
          ? []
          : [
              ...pressure.map((type) => ({ type, status: "False" as const, ...stamps })),
              { type: "Ready", status: ready, reason: "KubeletReady", ...stamps },
            ],
    },
  };
}

export interface PodTraits {
  node?: string;
  ready?: boolean;
  phase?: NonNullable<Pod["status"]>["phase"];
  labels?: Record<string, string>;
  tolerations?: NonNullable<Pod["spec"]>["tolerations"];
  owner?: ReplicaSet;
  createdMs?: number;
  deletedMs?: number;
  namespace?: string;
  readySinceMs?: number;
  restarts?: number;
  annotations?: Record<string, string>;
  uid?: string;
}

export function aPod(name: string, traits: PodTraits = {}): Pod {
  const { node, ready = true, phase = "Running", labels = { app: "web" }, namespace = "default", owner } = traits;
  const { createdMs = 1_767_225_600_000, readySinceMs = createdMs, restarts = 0, uid = `uid-of-${name}` } = traits;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid,
      labels,
      creationTimestamp: formatTimestamp(createdMs),
      ...(traits.annotations ? { annotations: traits.annotations } : {}),
      ...(traits.deletedMs === undefined ? {} : { deletionTimestamp: formatTimestamp(traits.deletedMs) }),
      ...(owner ? { ownerReferences: [ownerReferenceTo(owner)] } : {}),
    },
    spec: {
      containers: [{ name: "main", image: "busybox" }],
      ...(node === undefined ? {} : { nodeName: node }),
      ...(traits.tolerations ? { tolerations: traits.tolerations } : {}),
    },
    status: {
      phase,
      conditions: [
        { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: formatTimestamp(readySinceMs) },
      ],
      containerStatuses: [
        { name: "main", ready, restartCount: restarts, image: "busybox", imageID: "", state: { running: {} } },
      ],
    },
  };
}

function ownerReferenceTo(owner: ReplicaSet) {
  const { name = "", uid = "" } = owner.metadata;
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid, controller: true, blockOwnerDeletion: true };
}

export function aReplicaSet(name: string, replicas: number, traits: Partial<ReplicaSet["spec"]> = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default", uid: `uid-of-${name}`, generation: 1 },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "busybox" }] },
      },
      ...traits,
    },
  };
}

export function aNamespace(name: string, traits: { terminating?: boolean } = {}): Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, uid: `uid-of-${name}`, ...(traits.terminating ? { deletionTimestamp: formatTimestamp(0) } : {}) },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: traits.terminating ? "Terminating" : "Active" },
  };
}
