import { type ApiObject, profiles, type TimerProfile } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { ContainerHappening, FakeRuntime } from "@kintsugi/cri/simulated";
import type { CommittedChange } from "@kintsugi/store";
import { QuietPeriod } from "../quiet-period.ts";
import { groupedBy } from "../history/grouped.ts";
import type { AttachableDisk } from "../cluster.ts";
import type { Copies } from "../instruments/copies.ts";
import type { Levels } from "../instruments/levels.ts";
import type { CommittedStore } from "../disk/committed-log.ts";
import type { Check, Invariant, Observer, Seen, Violation } from "./invariant.ts";
import { invariantList } from "./invariant-list.ts";
import {
  beginRequest,
  isForcedDeletion,
  type RequestWitness,
  type StreamWitness,
  type SeenRequest,
  type Sent,
} from "./observed/seen-request.ts";
import type { Wire } from "../network/wire.ts";
import { parseValue, storeResource } from "../committed-values.ts";
import { ReadOnce } from "../read-once.ts";
import { ViewClock, type ViewClocks } from "./observed/view-clock.ts";
import { SteadyClocks } from "./observed/steady-clocks.ts";
import { type ObservedMachine, WorkingNodes } from "./observed/working-nodes.ts";
import { Known } from "./observed/known-objects.ts";

export interface InvariantsDeps {
  /** A store that is only in memory has a single run, without events. */
  store: Pick<CommittedStore, "revision" | "subscribe"> & Partial<Pick<CommittedStore, "observe">>;
  clock: Clock;
  /** The cluster whose containers and requests are observed too. */
  cluster?: ObservedCluster;
  /** Has to end the cluster, because a cluster that writes in a loop would never return. */
  onViolation: () => void;
}

/** Called with data that a process sends outside of its responses. */
export type Hear = (where: "bus" | "log", bytes: () => Uint8Array) => void;

interface HasClock {
  readonly machineClock: Clock;
}

interface ObservedNode extends ObservedMachine {
  readonly runtime: Pick<FakeRuntime, "witness">;
  readonly kubelet: ObservedMachine["kubelet"] & HasClock;
}

/** The parts of a cluster that can be observed in addition to the store. */
interface ObservedCluster {
  readonly quietPeriod: QuietPeriod;
  readonly copies: Pick<Copies, "all">;
  readonly levels: Pick<Levels, "all">;
  /** Shares parsed objects with the other readers of committed bytes. Default: not shared. */
  readonly objects?: ReadOnce;
  readonly nodes: readonly ObservedNode[];
  readonly storage?: { disks(): readonly AttachableDisk[]; copies(): readonly string[] } | undefined;
  readonly controllerManager: HasClock & { readonly isPaused: boolean };
  readonly server: { witness(witness: RequestWitness): void };
  /** The line between the API server and a service. */
  wireOf(name: "scheduler" | "controller-manager"): Pick<Wire, "isCut">;
  readonly scheduler: { readonly isPaused: boolean };
  /** Reports messages on the bus and lines of logs. */
  overhear(hear: Hear): void;
}

export interface InvariantsOptions {
  /** The cluster's timers. Default: the timers of the profile "fast". */
  timers?: TimerProfile;
  /**
   * The names of the invariants to check. Default: all. A log that is read afterwards has no times
   * of events.
   */
  only?: readonly string[];
}

/** Interval of the search for violations that no single change shows. */
const tickMs = 1000;

/** Inspects every committed change and retains the first violation of an invariant. */
export class Invariants {
  readonly #deps: InvariantsDeps;
  readonly #known = new Known();
  readonly #objects: ReadOnce;
  readonly #clocks: SteadyClocks;
  readonly #viewClocks: ViewClocks;
  readonly #working: WorkingNodes;
  readonly #watched: readonly Watched[];
  readonly #lookers: Readonly<Record<Look, readonly Watched[]>>;
  /** The observers of each kind, by the store's name of the kind. */
  readonly #observers: ReadonlyMap<string, readonly WatchedObserver[]>;
  /** The change that is being inspected. */
  #revision = 0;
  #tickedMs = 0;
  #hasNewServer = false;
  #violation: Violation | undefined;

  constructor(deps: InvariantsDeps, options: InvariantsOptions = {}) {
    this.#deps = deps;
    const { clock, store, cluster } = deps;
    this.#objects = cluster?.objects ?? new ReadOnce();
    const { timers = profiles.fast, only } = options;
    const quietPeriod = cluster?.quietPeriod ?? new QuietPeriod({ clock });
    this.#clocks = new SteadyClocks(clock, clocksOf(cluster));
    const hearingOf = (isCutOff: () => boolean | undefined) =>
      new ViewClock({ clock, known: this.#known, isCutOff: () => isCutOff() ?? false });
    this.#viewClocks = {
      scheduler: hearingOf(() => cluster && (cluster.wireOf("scheduler").isCut || cluster.scheduler.isPaused)),
      controllerManager: hearingOf(
        () => cluster && (cluster.wireOf("controller-manager").isCut || cluster.controllerManager.isPaused),
      ),
    };
    this.#working = new WorkingNodes(clock, cluster?.nodes ?? []);
    const context = {
      clock,
      known: this.#known,
      timers,
      quietPeriod,
      disks: () => cluster?.storage?.disks() ?? [],
      copiesOfDisks: () => cluster?.storage?.copies() ?? [],
      clocks: this.#clocks,
      viewClocks: this.#viewClocks,
      working: this.#working,
      copies: () => cluster?.copies.all() ?? [],
      levels: () => cluster?.levels.all() ?? [],
      revision: store.revision(),
    };
    this.#watched = invariantList
      .map((make) => make(context))
      .filter(({ name }) => only?.includes(name) ?? true)
      .map((invariant) => new Watched(invariant, (...broken) => this.#break(...broken)));
    this.#lookers = lookersOf(this.#watched);
    this.#observers = observersOf(this.#watched);
    this.#followRuns(deps);
    store.subscribe((changes) => {
      for (const change of changes) this.#look(change);
    });
    for (const { name, runtime } of cluster?.nodes ?? []) runtime.witness((seen) => this.#lookAtContainer(name, seen));
    cluster?.server.witness((request) => this.#lookAtRequest(request));
    cluster?.overhear((...said) => this.#hear(...said));
  }

  /** The number of single checks. */
  get checks(): number {
    return this.#watched.reduce((sum, { checks }) => sum + checks, 0);
  }

  /**
   * The number of checks of each invariant, by name; an invariant with 0 did not apply to any
   * object.
   */
  get checksByName(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#watched.map(({ invariant, checks }) => [invariant.name, checks]));
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  #followRuns({ store }: InvariantsDeps): void {
    const { left, opened, refused, answered } = this.#lookers;
    store.observe?.({
      left: () => {
        // Clients of that process do not receive further responses, and the end of a stream without
        // a reader is not reported.
        this.#known.streams.clear();
        this.#hasNewServer = true;
        left.forEach(({ invariant }) => invariant.left?.());
      },
      opened: (run) => opened.forEach(({ invariant, check }) => invariant.opened?.(run, check)),
      refused: (error) => refused.forEach(({ invariant, check }) => invariant.refused?.(error, check)),
      answered: (...answer) => answered.forEach(({ invariant, check }) => invariant.answered?.(...answer, check)),
    });
  }

  #look(change: CommittedChange): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#known.moveTo(nowMs);
    this.#known.remember(change);
    this.#clocks.look();
    this.#working.look();
    this.#viewClocks.scheduler.look();
    this.#viewClocks.controllerManager.look();
    this.#revision = change.revision;
    for (const { invariant, check } of this.#lookers.change) invariant.change?.(change, check);
    this.#lookAtObject(change);
    if (nowMs < this.#tickedMs + tickMs) return;
    this.#tickedMs = nowMs;
    for (const { invariant, check } of this.#lookers.tick) invariant.tick?.(check);
  }

  #lookAtObject(change: CommittedChange): void {
    const objects = this.#known.observed(change.resource);
    // Objects of other kinds are never parsed.
    if (objects === undefined) return;
    const { key, value } = change.entry;
    const object = this.#objects.read<ApiObject>(value, change.revision);
    const before = objects.get(key) ?? (change.before && parseValue<ApiObject>(change.before.value));
    if (change.type === "delete") objects.delete(key);
    else objects.set(key, object);
    if (change.resource === "core/nodes") this.#known.forcedDeletions.noteNode(change.type, object);
    const seen: Seen<ApiObject> = { type: change.type, change, object, before };
    for (const { observe, check } of this.#observers.get(change.resource) ?? []) observe(seen, check);
  }

  #hear(...said: Parameters<Hear>): void {
    for (const { invariant, check } of this.#lookers.said) invariant.said?.(...said, check);
  }

  #lookAtContainer(node: string, happening: ContainerHappening): void {
    this.#clocks.look();
    this.#working.look();
    const seen = this.#known.containers.happened(node, happening, this.#deps.clock.monotonicMs());
    for (const { invariant, check } of this.#lookers.container) invariant.container?.(seen, check);
  }

  #lookAtRequest(request: HandlerRequest): ReturnType<RequestWitness> {
    const { pending, unclear, forcedDeletions } = this.#known;
    // The writes of its predecessor that reached the disk have been reported by now, and the other
    // writes are lost.
    if (this.#hasNewServer) for (const requests of [pending, unclear]) requests.clear();
    this.#hasNewServer = false;
    const begun = beginRequest(request, this.#known);
    const cameMs = this.#deps.clock.monotonicMs();
    pending.set(request, cameMs);
    if (begun && isForcedDeletion(begun)) forcedDeletions.note(begun);
    return ({ status, body }) => {
      pending.delete(request);
      if (status === 504) unclear.set(request, cameMs);
      const tookMs = this.#deps.clock.monotonicMs() - cameMs;
      for (const { invariant, check } of this.#lookers.took) invariant.took?.(request, tookMs, check);
      if (status >= 300) return undefined;
      if (!begun) for (const { invariant, check } of this.#lookers.reading) invariant.reading?.(request, check);
      if (!(body instanceof Uint8Array)) return this.#followStream(request);
      if (!begun) return undefined;
      let answered: Sent | undefined;
      const { path, target, sent } = begun;
      const seen: SeenRequest = {
        request,
        path,
        target,
        sent,
        answered: () => (answered ??= this.#known.answered(path, body)),
      };
      for (const { invariant, check } of this.#lookers.request) invariant.request?.(seen, check);
      return undefined;
    };
  }

  #followStream(request: HandlerRequest): StreamWitness {
    const { streams } = this.#known;
    const note = (isRead: boolean) => streams.set(request, { heardMs: this.#deps.clock.monotonicMs(), isRead });
    note(false);
    return { awaited: () => note(true), sent: () => note(false), ended: () => streams.delete(request) };
  }

  #break(invariant: string, message: string): void {
    if (this.#violation !== undefined) return;
    this.#violation = { invariant, message, revision: this.#revision, atMs: this.#deps.clock.monotonicMs() };
    this.#deps.onViolation();
  }
}

function clocksOf(cluster: ObservedCluster | undefined): Map<string, Clock> {
  const clocks = new Map((cluster?.nodes ?? []).map(({ name, kubelet }) => [name, kubelet.machineClock]));
  if (cluster) clocks.set("controller-manager", cluster.controllerManager.machineClock);
  return clocks;
}

const runLooks = ["opened", "left", "refused", "answered"] as const;
const looks = ["change", "container", "request", "reading", "took", "said", "tick", ...runLooks] as const;
type Look = (typeof looks)[number];

/** Lists the observers of each event: most changes are of a kind with few observers. */
function lookersOf(watched: readonly Watched[]): Record<Look, readonly Watched[]> {
  const lookers = looks.map((look) => [look, watched.filter(({ invariant }) => look in invariant)]);
  return Object.fromEntries(lookers) as Record<Look, readonly Watched[]>;
}

interface WatchedObserver extends Pick<Observer, "observe"> {
  readonly check: Check;
}

function observersOf(watched: readonly Watched[]): Map<string, WatchedObserver[]> {
  const all = watched.flatMap(({ invariant: { observes = [] }, check }) =>
    observes.map(({ type, observe }) => ({ type, observe, check })),
  );
  return groupedBy(all, ({ type }) => storeResource(type));
}

/** One invariant and how often it was checked. */
class Watched {
  readonly invariant: Invariant;
  readonly check: Check;
  checks = 0;

  constructor(invariant: Invariant, onBroken: (name: string, message: string) => void) {
    this.invariant = invariant;
    this.check = (broken) => {
      this.checks++;
      if (broken !== undefined) onBroken(invariant.name, broken);
    };
  }
}
