// The types of kintsugi/testing in the npm package. tools/package/testing-types.ts makes this file
// from the sources of packages/testing: change those, and run it.

export interface ClusterOptions {
  /** The number of nodes, called node-1, node-2, …. Default 3. */
  nodes?: number;
  /** "steered": the cluster's clock is stopped until the test advances it. Default "steered". */
  clock?: "steered" | "real";
  /** Further flags of `kintsugi test-server`, such as "--profile=fast". */
  flags?: readonly string[];
}

/** The reasons for an object's state, for programs, and as text for a person. */
export interface ObjectExplanation extends Explanation {
  readonly text: string;
}

/** The explanation of an object's state. Its shape is stable, so that programs may read it. */
export interface Explanation {
  readonly apiVersion: "kintsugi.dev/v1alpha1";
  readonly kind: "Explanation";
  readonly subject: ExplainedObject;
  /** The state of the subject in a few words: "Pending", "Running, not ready since 12 s". */
  readonly state: string;
  readonly observedAt: string;
  /** The most important reason is first. The list is empty if the object does not wait. */
  readonly reasons: readonly ExplainedReason[];
  /** A sentence for each kind of object that could not be read, and that may hide a reason. */
  readonly unread: readonly string[];
}

/** The subject of an explanation or of a reason. */
export interface ExplainedObject {
  readonly kind: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export interface ExplainedReason {
  readonly code: ReasonCode;
  readonly about: ExplainedObject;
  /** One sentence. */
  readonly because: string;
  /** Lines with the details of the reason: each node, each pod. */
  readonly details?: readonly string[];
  readonly since?: string;
  /** Completes the sentence "It waits for …". */
  readonly awaits?: string;
  /** The end of a running timer. */
  readonly due?: Due;
  /** One sentence about the next step. */
  readonly next?: string;
  readonly remedies?: readonly Remedy[];
}

/** "Unschedulable", "BackOff", …; docs/design/explain.md lists them. */
export type ReasonCode = string;

export interface Due {
  readonly at: string;
  readonly timer: TimerName;
}

export type TimerName = string;

/** A change that would help. */
export interface Remedy {
  /** An imperative without a full stop: "Give the pod less to ask for". */
  readonly does: string;
  readonly command?: string;
}

/** Starts a cluster in this process; its nodes are Ready when the promise resolves. */
export declare function startCluster(options?: ClusterOptions): Promise<TestCluster>;

/** A cluster that runs as long as a test or a suite. `await using` stops it. */
export interface TestCluster extends AsyncDisposable {
  /** The path of a kubeconfig of the administrator, which is removed when the cluster stops. */
  readonly kubeconfig: string;
  /** "https://127.0.0.1:40123" */
  readonly url: string;
  /** The administrator's client, without a network. */
  readonly client: Client;
  readonly clock: TestClock;
  readonly faults: TestFaults;
  readonly nodes: TestNodes;
  /** Records the present state of all objects. */
  mark(name?: string): StoreMark;
  /**
   * Restores all objects while clients stay connected; time continues.
   * @throws ApiError when the mark belongs to another cluster.
   */
  reset(mark: StoreMark): Promise<ResetReport>;
  /** Lists the steps of nodes and pods, oldest first. */
  timeline(): Promise<readonly TimelineEntry[]>;
  /**
   * Explains an object's state, the awaited event and its time, as `kintsugi explain` does.
   * @param object "pod/web-0", "deployment/web", "node/node-1" or "workload/web".
   * @param options the namespace; default "default".
   * @throws Error when there is no such object, or it cannot be explained.
   */
  explain(object: string, options?: { namespace?: string }): Promise<ObjectExplanation>;
  /** Repeatable. */
  stop(): Promise<void>;
}

export type Client = ObjectReader &
  ObjectWriter & {
    /**
     * Any other call: health, version, credentials. Resolves with the parsed JSON body, or the text
     * if it is not JSON.
     * @throws ApiError unless 2xx.
     */
    call(request: RawRequest): Promise<unknown>;
    close(): Promise<void>;
  };

/** Typed access to the API that cannot change the cluster. Refusals are thrown as `ApiError`. */
export interface ObjectReader {
  /** @throws ApiError NotFound. */
  get<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options?: CallOptions): Promise<T>;
  find<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options?: CallOptions): Promise<T | undefined>;
  /** All objects, page by page, at one revision. */
  list<T extends ApiObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /**
   * Changes after `options.resourceVersion`, until the signal aborts or the server ends the stream
   * (the iteration then ends without an error).
   * @throws ApiError Expired when that revision is no longer kept: list again.
   */
  watch<T extends ApiObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * Calls `handler` at the first answer after an unanswered call, and at the first accepted write
   * after a write that was rejected for lack of room, but at most once a second. Callers that wait
   * for their next attempt need not wait longer. Returns a function that stops the calls.
   */
  onReturn(handler: () => void): () => void;
  /**
   * Called for every informer that begins to follow through this reader, until the signal aborts,
   * so that a test can compare the informer's copy with the server's state.
   */
  onFollow?: OnFollow | undefined;
}

/** The fields that every object has. */
export interface ApiObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

/** The metadata of an object; a suite that wants more types casts to its own. */
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

/**
 * One kind as clients address it. `T` is the object's TypeScript type; it exists only for the
 * compiler.
 */
export interface ResourceType<T extends ApiObject = ApiObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in URLs: "pods". */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** kubectl's groupings: "all". */
  readonly categories: readonly string[];
  /** Never present at run time. */
  readonly object?: T;
}

/** An object's place inside its resource. `namespace` is "" for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** "status", "scale", "log", … */
  subresource?: string;
  /** The limit of the call with all its retries; default 60 s. */
  timeoutMs?: number;
  /** Called with the answer's headers (names in lower case) when the call succeeds. */
  onHeaders?: (headers: Readonly<Record<string, string>>) => void;
  /**
   * True for heartbeats: the call does not wait behind other calls for a connection. A client with
   * many writes would otherwise be considered dead.
   */
  urgent?: boolean;
}

export interface ListOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per request; default 500, as kubectl's. */
  pageLimit?: number;
  resourceVersion?: string;
  /**
   * Objects with their metadata only (PartialObjectMetadata), for callers that work on objects of
   * any kind. Default false.
   */
  metadataOnly?: boolean;
  signal?: AbortSignal;
}

export interface ObjectList<T> {
  items: T[];
  resourceVersion: string;
}

export interface WatchOptions extends ListOptions {
  resourceVersion: string;
  /** The server ends the stream after this time. */
  timeoutSeconds?: number;
  /** Requests BOOKMARK events. */
  bookmarks?: boolean;
  signal: AbortSignal;
}

export type WatchEvent<T> =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: T }
  /** Everything up to this revision has been sent. */
  | { type: "BOOKMARK"; resourceVersion: string };

/** A hook for tests of the clients themselves. */
export type OnFollow = (...given: never[]) => void;

export interface ObjectWriter {
  /** `options.subresource` posts to the subresource instead: "binding", "eviction". */
  create<T extends ApiObject>(type: ResourceType<T>, object: T, options?: CreateOptions): Promise<T>;
  /**
   * Replaces the object; `metadata.resourceVersion` in the object makes the write conditional.
   * `options.subresource`: "status", "scale".
   */
  update<T extends ApiObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  delete<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
}

export interface CreateOptions extends WriteOptions {
  /** The namespace of the object if its metadata does not have a namespace. */
  namespace?: string;
  /**
   * The object to whose subresource the body is posted, when the body's kind differs from the
   * parent's kind.
   */
  name?: string;
}

export interface WriteOptions extends CallOptions {
  fieldManager?: string;
  dryRun?: boolean;
}

export type Patch =
  | { type: "merge"; body: unknown }
  | { type: "strategic"; body: unknown }
  | { type: "json"; body: readonly JsonPatchOperation[] };

export interface JsonPatchOperation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}

export interface DeleteOptions extends WriteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: "Orphan" | "Background" | "Foreground";
  preconditions?: { uid?: string; resourceVersion?: string };
}

export interface RawRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with its query: "/readyz?verbose". */
  path: string;
  body?: unknown;
  contentType?: string;
  /** The media types that the caller accepts. Default JSON. */
  accept?: string;
  /** The ETag of a known answer. The answer is undefined if the server still has that version. */
  ifNoneMatch?: string | undefined;
  /** Called with the answer's headers (names in lower case) when the call succeeds. */
  onHeaders?: (headers: Readonly<Record<string, string>>) => void;
  signal?: AbortSignal;
  /** The limit of the call with all its retries; default 60 s. */
  timeoutMs?: number;
  /** Limits on an answer that a server behind the API server wrote. */
  foreign?: ForeignAnswer;
  /** Returns a refusal as the answer, including a refusal that requests a retry. Default false. */
  isTriedOnce?: boolean;
}

/** The limits on another program's answer, checked before the answer is parsed. */
export interface ForeignAnswer {
  readonly bytesMax: number;
  readonly valuesMax: number;
}

/** The clock of a test's cluster. */
export interface TestClock {
  /** The time of the cluster, in milliseconds since 1970. */
  nowMs(): number;
  /**
   * Moves the clock through all timers that are due. All work that it starts has ended when the
   * promise resolves.
   * @param giveClients the real time to wait for further client requests after each step that sent
   * changes to clients, so that an operator in another process, or over HTTPS, reacts at each step.
   */
  advance(duration: TimeSpan, options?: { giveClients?: TimeSpan }): Promise<AdvanceReport>;
  /**
   * Moves the clock until the condition holds.
   * @throws Error when it does not hold within `atMost` of the cluster's time.
   */
  advanceUntil(
    condition: () => Promise<boolean> | boolean,
    options: { atMost: TimeSpan; giveClients?: TimeSpan },
  ): Promise<AdvanceReport>;
  /** Stops the clock, its initial state. */
  freeze(): void;
  /** Advances the cluster's clock by this many seconds in each real second. */
  run(pace: number): void;
}

/** A duration as in Go, such as "10m", or milliseconds. */
export type TimeSpan = string | number;

export interface AdvanceReport {
  readonly movedMs: number;
  /** The part of the time that was skipped because it contained only heartbeats. */
  readonly passedOverMs: number;
  /** The number of steps, each with at least one due timer. */
  readonly steps: number;
  /**
   * All work that the steps began had ended, and all watchers had received its changes, before time
   * continued.
   */
  readonly settled: boolean;
  /**
   * False if the condition has not become true, the caller has disconnected, or the server ended.
   */
  readonly reached: boolean;
  /** The error message if the condition was not reached. */
  readonly message: string | undefined;
}

export interface TestFaults {
  /** The names of all faults that can be injected. */
  readonly names: readonly string[];
  /** @throws ApiError when the fault or its target does not exist. */
  call(fault: string, options?: FaultCall): Promise<FaultHandle>;
  /** Lists the active faults. */
  list(): readonly CalledFault[];
  undoAll(): Promise<void>;
}

export interface FaultCall {
  /** A node, a service, a process or a zone; drawn by the seed if it is absent. */
  target?: string;
  /** The settings of the fault, such as `{ share: 0.25, userAgent: "my-operator" }`. */
  with?: Readonly<Record<string, number | string>>;
  /** The cluster time after which the fault is undone. */
  for?: TimeSpan;
  /** The seed of all random values. Default 1. */
  seed?: number;
}

/** An injected fault; `await using` undoes it at the end of the block. */
export interface FaultHandle extends AsyncDisposable {
  readonly name: string;
  /** Repeatable. */
  undo(): Promise<void>;
}

/** An injected fault. */
export interface CalledFault {
  readonly name: string;
  readonly fault: string;
  readonly target: string | undefined;
  readonly with: FaultSettings;
  /**
   * "Waiting": the fault's condition has not occurred yet. "Struck": the fault has ended and cannot
   * be undone.
   */
  readonly state: "InForce" | "Waiting" | "Struck";
}

export type FaultSettings = Readonly<Record<string, number | string>>;

/** The nodes of a cluster; each fault of a node is undone by its handle. */
export interface TestNodes {
  readonly names: readonly string[];
  /**
   * Cuts the power; when the fault is undone, the node returns with the remaining contents of the
   * disk.
   */
  kill(node: string): Promise<FaultHandle>;
  /** Cuts the connection between the node and the API server; its pods continue. */
  cutOff(node: string): Promise<FaultHandle>;
  stopKubelet(node: string): Promise<FaultHandle>;
  /** Each message between the node and the API server is delayed by up to this time. */
  slow(node: string, delay: TimeSpan): Promise<FaultHandle>;
}

/** All objects of a cluster as they were at one time. */
export interface StoreMark {
  readonly name: string;
  readonly revision: number;
  /** The wall time of the cluster. */
  readonly atMs: number;
  readonly objects: number;
}

export interface ResetReport {
  readonly mark: string;
  /** Restored objects, and removed objects. */
  readonly restored: number;
  readonly removed: number;
  /** The revision at which all objects were restored. */
  readonly revision: number;
  /** The real duration of the reset. */
  readonly tookMs: number;
}

/**
 * One step in the history of a node or a pod for the recovery timeline, or of a Lease by which the
 * control plane elects a leader.
 */
export interface TimelineEntry {
  /** Wall time of the change's commit; for container states, the time that the node reported. */
  timeMs: number;
  /** The time of the commit, if `timeMs` is the node's, which is exact only to the second. */
  committedMs?: number | undefined;
  revision: number;
  kind: "Node" | "Pod" | "Lease";
  /** "" for nodes. */
  namespace: string;
  name: string;
  /** The node that changed, or the node to which the pod is bound; "" without a node. */
  node: string;
  /**
   * The kind of step: "created", "bound", "condition", "container-terminated"… A Lease has "leads"
   * and "released".
   */
  what: string;
  /** Details in a few words, with upstream's reasons. */
  detail: string;
  /** The name of the API server that accepted the write; absent if there is only one server. */
  server?: string | undefined;
}

/**
 * Reports whether `error` is an ApiError with one of `reasons`; without reasons, any ApiError
 * matches.
 */
export declare function isApiError(error: unknown, ...reasons: StatusReason[]): error is ApiError;

export type StatusReason = string;

/** The API refused a call. */
export interface ApiError extends Error {
  /** "NotFound", "Conflict", … */
  readonly reason: StatusReason;
  readonly code: number;
}

/** Names a custom kind for a client. @throws TypeError when its version has no group. */
export declare function kindNamed<T extends ApiObject = ApiObject>(names: KindNames): ResourceType<T>;

/** The names of a custom kind. */
export interface KindNames {
  /** "example.com/v1" */
  apiVersion: string;
  /** "Widget" */
  kind: string;
  /** "widgets" */
  plural: string;
  /** Default true. */
  namespaced?: boolean;
}

/**
 * The kinds that every cluster serves, by their plurals: `kinds.pods`. If two groups have the same
 * plural, the key of the second also includes its group: `kinds["events.events.k8s.io"]`.
 */
export declare const kinds: Readonly<Record<string, ResourceType>>;

/** An event of an explored run. */
export interface RunEvent {
  /** Milliseconds after the setup. */
  readonly atMs: number;
  readonly who: "operator" | "user" | "fault" | "invariant";
  readonly what: string;
}

export interface ExploreFailure {
  readonly seed: number;
  /** The text of the violated invariant. */
  readonly message: string;
  /**
   * The smallest subset of the seed's faults that violates the invariant; the same faults violate
   * it again.
   */
  readonly troubles: readonly Trouble[];
  /** The faults, the users' actions and the operator's writes of that run, in their order. */
  readonly timeline: readonly RunEvent[];
  /** The timeline as a self-contained page. */
  readonly html: string;
}

/** One fault of an explored run. */
export interface Trouble {
  readonly what: string;
  readonly atMs: number;
  readonly forMs: number;
}

export interface ExploreOptions {
  /** The number of seeds, from `firstSeed`; each seed is a separate run. Default 100. */
  seeds?: number;
  firstSeed?: number;
  nodes?: number;
  /** Creates the initial state of a run, such as definitions of kinds and objects. */
  setUp: (client: Client) => Promise<void>;
  /** Concurrent actions of users, at their times after the setup; each is tried once. */
  users?: readonly { atMs: number; act: (client: Client) => Promise<void> }[];
  /** Returns a sentence if the invariant is violated; checked every second. */
  always?: RunInvariant;
  /** An invariant that is checked `settleMs` after the end of all faults. */
  atEnd: RunInvariant;
  /** The period in which faults occur. Default 2 min. */
  durationMs?: number;
  /** Default 2 min. */
  settleMs?: number;
}

/** An invariant about the objects of a cluster, which it reads by a client with all rights. */
export type RunInvariant = (client: Client) => Promise<string | undefined> | string | undefined;

/**
 * Runs an operator under drawn faults, once for each seed, in virtual time, until a seed violates
 * an invariant. The faults of that seed are reduced to the necessary faults.
 */
export declare function explore(operator: Operator, options: ExploreOptions): Promise<ExploreReport>;

/**
 * One run of an operator's process, which lasts until its signal aborts. It is started again after
 * each crash.
 */
export type Operator = (deps: OperatorDeps) => Promise<void>;

/** All that an operator may use of its surroundings, so that its run can be repeated. */
export interface OperatorDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Aborts when the process is stopped or killed. */
  readonly signal: AbortSignal;
}

/**
 * The source of a program's time. Everything that waits, measures or stamps takes a Clock, so the
 * whole cluster can run on a virtual clock.
 */
export interface Clock {
  /**
   * Wall time in milliseconds since the Unix epoch. It may jump; use it for times that other
   * machines read, never for durations.
   */
  nowMs(): number;
  /**
   * Milliseconds since an arbitrary start, which never decrease. Use it for every duration and
   * deadline of this process.
   */
  monotonicMs(): number;
  /** Calls `callback` once, `delayMs` from now (at the earliest; a negative delay counts as 0). */
  after(delayMs: number, callback: () => void, kind?: TimerKind): Timer;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason when `signal` aborts first.
   */
  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void>;
  /**
   * Resolves when all other work that is ready has run. Code that runs for long without waiting
   * calls this function.
   */
  nextTurn(): Promise<void>;
}

/**
 * The meaning of a timer for a clock that is moved over hours in which nothing happens. "deadline":
 * something is due at that time. "routine": a check that does not find changes while nothing
 * happens, so that one check can replace many. "heartbeat": a sign of life on which checks depend,
 * so it is handled before them. An object: the timer is "routine" until something is due after that
 * many milliseconds. Other clocks treat all timers alike.
 */
export type TimerKind = "deadline" | "routine" | "heartbeat" | { readonly routineForMs: number };

/**
 * A pending callback of `Clock.after`. A second cancellation, or a cancellation after the call, has
 * no effect.
 */
export interface Timer {
  cancel(): void;
}

/** The source of a program's randomness; seeded in simulations, so that a run can be repeated. */
export interface Random {
  /** A number in [0, 1). */
  float(): number;
  /** A whole number in [0, below). `below` is at least 1. */
  integer(below: number): number;
  bytes(length: number): Uint8Array;
  /** A version 4 UUID, as object UIDs are. */
  uuid(): string;
}

/**
 * A service writes its log lines here. A line is a fixed phrase plus fields, so that lines can be
 * counted and searched: `log.info("pod bound", { pod: "default/web-0", node: "node-1" })`.
 */
export interface Logger {
  debug(phrase: string, fields?: LogFields): void;
  info(phrase: string, fields?: LogFields): void;
  warn(phrase: string, fields?: LogFields): void;
  error(phrase: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/**
 * Values must be safe to print: never a Secret's data, a token or a key. An Error is logged under
 * `error`.
 */
export type LogFields = Readonly<Record<string, unknown>>;

export interface ExploreReport {
  readonly seeds: number;
  /** The total time that was simulated in all runs. */
  readonly virtualMs: number;
  readonly failure: ExploreFailure | undefined;
}
