// The types of kintsugi/testing as the npm package has them. They name what a test uses, and no other
// package; testing-types.test.ts compares their names with the exports of packages/testing.

/** An object of the API. Its fields are Kubernetes'; a suite that wants their types casts to its own. */
export interface ApiObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

export interface ObjectMeta {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  finalizers?: string[] | undefined;
  ownerReferences?: OwnerReference[] | undefined;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}

export interface ResourceType<T extends ApiObject = ApiObject> {
  readonly group: string;
  readonly version: string;
  /** Plural, as in URLs: "pods". */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Never present at run time. */
  readonly object?: T;
}

/** The kinds that every cluster serves, by their plurals: `kinds.pods`. */
export declare const kinds: Readonly<Record<string, ResourceType>>;

/** Names a custom kind for a client: `{ apiVersion: "example.com/v1", kind: "Widget", plural: "widgets" }`. */
export declare function kindNamed<T extends ApiObject = ApiObject>(names: {
  apiVersion: string;
  kind: string;
  plural: string;
  /** Default true. */
  namespaced?: boolean;
}): ResourceType<T>;

/** Reports whether a call was refused by the API, for that reason where one is given: "Conflict". */
export declare function isApiError(error: unknown, reason?: string): error is Error & { readonly reason: string };

/** `namespace` is "" for kinds without namespaces. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

export interface Client {
  get<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey): Promise<T>;
  find<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey): Promise<T | undefined>;
  list<T extends ApiObject>(
    type: ResourceType<T>,
    options?: { namespace?: string; labelSelector?: string; fieldSelector?: string },
  ): Promise<{ items: T[]; resourceVersion: string }>;
  /** Changes after a revision, until the signal aborts or the server ends the stream. */
  watch<T extends ApiObject>(
    type: ResourceType<T>,
    options: { resourceVersion: string; namespace?: string; labelSelector?: string; signal: AbortSignal },
  ): AsyncIterable<
    { type: "ADDED" | "MODIFIED" | "DELETED"; object: T } | { type: "BOOKMARK"; resourceVersion: string }
  >;
  create<T extends ApiObject>(type: ResourceType<T>, object: T): Promise<T>;
  /** `metadata.resourceVersion` in the object makes it conditional. */
  update<T extends ApiObject>(type: ResourceType<T>, object: T, options?: { subresource?: string }): Promise<T>;
  patch<T extends ApiObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: { type: "merge" | "strategic"; body: unknown },
    options?: { subresource?: string },
  ): Promise<T>;
  delete<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey): Promise<void>;
  /** Any other request; resolves with the parsed JSON body. */
  call(request: {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    path: string;
    body?: unknown;
  }): Promise<unknown>;
  close(): Promise<void>;
}

/** A duration as in Go, such as "10m", or milliseconds. */
export type TimeSpan = string | number;

export interface ClusterOptions {
  /** The number of nodes, called node-1, node-2, …. Default 3. */
  nodes?: number;
  /** "steered": the cluster's clock stands still until the test moves it. Default "steered". */
  clock?: "steered" | "real";
  /** Further flags of `kintsugi test-server`, such as "--profile=fast". */
  flags?: readonly string[];
}

export interface AdvanceReport {
  readonly movedMs: number;
  readonly passedOverMs: number;
  readonly steps: number;
  /** All that the steps began had ended, and all watchers had been sent it, before time went on. */
  readonly settled: boolean;
  readonly reached: boolean;
  readonly message: string | undefined;
}

export interface TestClock {
  /** The time of the cluster, in milliseconds since 1970. */
  nowMs(): number;
  advance(duration: TimeSpan, options?: { giveClients?: TimeSpan }): Promise<AdvanceReport>;
  advanceUntil(
    condition: () => Promise<boolean> | boolean,
    options: { atMost: TimeSpan; giveClients?: TimeSpan },
  ): Promise<AdvanceReport>;
  freeze(): void;
  /** Lets so many seconds of the cluster pass in each second. */
  run(pace: number): void;
}

/** A fault that was called; `await using` undoes it at the end of the block. */
export interface FaultHandle extends AsyncDisposable {
  readonly name: string;
  undo(): Promise<void>;
}

export interface TestFaults {
  readonly names: readonly string[];
  call(
    fault: string,
    options?: {
      target?: string;
      with?: Readonly<Record<string, number | string>>;
      /** The time of the cluster after which it is undone. */
      for?: TimeSpan;
      seed?: number;
    },
  ): Promise<FaultHandle>;
  undoAll(): Promise<void>;
}

export interface TestNodes {
  readonly names: readonly string[];
  kill(node: string): Promise<FaultHandle>;
  cutOff(node: string): Promise<FaultHandle>;
  stopKubelet(node: string): Promise<FaultHandle>;
  slow(node: string, delay: TimeSpan): Promise<FaultHandle>;
}

export interface StoreMark {
  readonly name: string;
  readonly revision: number;
  readonly atMs: number;
  readonly objects: number;
}

export interface ResetReport {
  readonly mark: string;
  readonly restored: number;
  readonly removed: number;
  readonly revision: number;
  readonly tookMs: number;
}

export interface TestCluster extends AsyncDisposable {
  /** The path of a kubeconfig of the administrator, which is removed when the cluster stops. */
  readonly kubeconfig: string;
  readonly url: string;
  /** The administrator's client, without a network. */
  readonly client: Client;
  readonly clock: TestClock;
  readonly faults: TestFaults;
  readonly nodes: TestNodes;
  mark(name?: string): StoreMark;
  /** Puts all objects back while clients stay connected; time goes on. */
  reset(mark: StoreMark): Promise<ResetReport>;
  /** Lists the steps of nodes and pods, oldest first. */
  timeline(): Promise<readonly object[]>;
  stop(): Promise<void>;
}

/** Starts a cluster in this process; its nodes are Ready when the promise resolves. */
export declare function startCluster(options?: ClusterOptions): Promise<TestCluster>;

export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** At least 0, less than 1. */
  float(): number;
  /** At least 0, less than `below`. */
  integer(below: number): number;
  uuid(): string;
}

/** All that an operator may use of the world, so that its life can be repeated. */
export interface OperatorDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the process is stopped or killed. */
  readonly signal: AbortSignal;
}

/** One life of an operator's process: lasts until its signal aborts. It begins again after each death. */
export type Operator = (deps: OperatorDeps) => Promise<void>;

/** A promise about the objects of a cluster: a sentence where it is broken. */
export type LifeInvariant = (client: Client) => Promise<string | undefined> | string | undefined;

export interface ExploreOptions {
  /** Default 100. */
  seeds?: number;
  firstSeed?: number;
  nodes?: number;
  setUp: (client: Client) => Promise<void>;
  /** Actions of users meanwhile, at their times after the setup. */
  users?: readonly { atMs: number; act: (client: Client) => Promise<void> }[];
  /** Asked every second. */
  always?: LifeInvariant;
  /** Asked when all faults have been over for `settleMs`. */
  atEnd: LifeInvariant;
  /** The time in which faults come. Default 2 min. */
  durationMs?: number;
  /** Default 2 min. */
  settleMs?: number;
}

export interface LifeEvent {
  readonly atMs: number;
  readonly who: "operator" | "user" | "fault" | "invariant";
  readonly what: string;
}

export interface ExploreFailure {
  readonly seed: number;
  readonly message: string;
  /** The fewest of the seed's faults that break it. */
  readonly troubles: readonly { readonly what: string; readonly atMs: number; readonly forMs: number }[];
  readonly timeline: readonly LifeEvent[];
  /** The timeline as a page that needs nothing else. */
  readonly html: string;
}

export interface ExploreReport {
  readonly seeds: number;
  readonly virtualMs: number;
  readonly failure: ExploreFailure | undefined;
}

/** Lives an operator's life under drawn faults, once for each seed, in virtual time. */
export declare function explore(operator: Operator, options: ExploreOptions): Promise<ExploreReport>;
