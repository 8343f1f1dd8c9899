import {
  type ApiError,
  type FlowSchema,
  flowSchemas,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  type Metrics,
  type PriorityLevelConfiguration,
  priorityLevelConfigurations,
  sameJson,
  tooManyRequests,
} from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange, Store } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storePrefix } from "../resources/keys.ts";
import { estimateWidth } from "./estimate-width.ts";
import { FairQueues, type Turn } from "./fair-queues.ts";
import { FlowMetrics } from "./flow-metrics.ts";
import { distinguisherOf, inMatchingOrder, matchesFlow } from "./match-flow.ts";
import { type LevelSeats, planCurrentSeats, planNominalSeats } from "./plan-seats.ts";

// Every request belongs to the first FlowSchema that matches it, and thereby to a priority level:
//
//   request ▸ FlowSchema "service-accounts" ▸ level "workload-low" ▸ flow "…:shop:till" ▸ queues
//                                                                                       ▸ seats
//
// The seats of the server are divided among the levels. A level that needs fewer seats lends its
// free seats.

export interface FlowControlDeps {
  store: Pick<Store, "list" | "count">;
  clock: Pick<Clock, "monotonicMs" | "after">;
  metrics: Metrics;
}

export interface FlowControlOptions {
  /** The number of requests that the server handles concurrently. */
  seats: number;
  /** Longest time that a request waits for its seats. */
  waitMaxMs: number;
}

/** A request that did not get seats. */
interface Rejected {
  readonly refusal: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that may be served. */
interface Admitted {
  /** The headers that name the request's schema and level to its client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, when the request has been answered. */
  leave(): void;
}

export type FlowTurn = Admitted | Rejected;

interface Level {
  readonly configuration: PriorityLevelConfiguration;
  readonly seats: LevelSeats;
  /** Undefined: the level is exempt. */
  readonly queues: FairQueues | undefined;
  need: number;
}

interface Classified {
  readonly schema: FlowSchema;
  readonly level: Level;
}

/** Interval after which borrowed seats are computed again. */
const borrowingPeriodMs = 10_000;
/**
 * A past need still counts for several minutes, so that the number of seats does not oscillate
 * (upstream's seatDemandSmoothingCoefficient).
 */
const needDecay = 0.977;

/** Upstream's API priority and fairness. */
export class FlowControl {
  readonly #deps: FlowControlDeps;
  readonly #options: FlowControlOptions;
  readonly #metrics: FlowMetrics;
  #schemas: readonly FlowSchema[] = [];
  #levels = new Map<string, Level>();
  #adjustedMs: number;

  constructor(deps: FlowControlDeps, options: FlowControlOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#metrics = new FlowMetrics(deps.metrics);
    this.#adjustedMs = deps.clock.monotonicMs();
    this.#configure();
  }

  /** Applies changes of schemas and levels when they are committed. */
  observe(changes: readonly CommittedChange[]): void {
    if (changes.some(({ entry }) => entry.key.startsWith(groupPrefix))) this.#configure();
  }

  /**
   * Waits until a request may be served. `gone` is called only where the request has to wait, and
   * aborts when its client disconnects.
   */
  enter(user: UserInfo, info: RequestInfo, gone: () => AbortSignal): FlowTurn | Promise<FlowTurn> {
    this.#borrow();
    const classified = this.#classify(user, info);
    const { schema, level } = classified;
    if (level.queues === undefined) return this.#admitted(classified, { seat: exemptSeat, waitedMs: 0 });
    const count = info.verb === "list" ? this.#deps.store.count(storePrefix(info, "")) : 0;
    const width = estimateWidth(info, { count, levelSeats: level.queues.seats });
    const flow = `${schema.metadata.name ?? ""}/${distinguisherOf(schema, user, info)}`;
    const turn = level.queues.enter(flow, width, gone);
    return turn instanceof Promise
      ? turn.then((later) => this.#admitted(classified, later))
      : this.#admitted(classified, turn);
  }

  /** Sets the metrics of levels; called when they are read. */
  setMetrics(): void {
    for (const [name, { seats, queues }] of this.#levels) {
      this.#metrics.setLevel(name, {
        nominal: seats.nominal,
        current: queues?.seats ?? seats.nominal,
        inUse: queues?.seatsInUse ?? 0,
        waiting: queues?.waitingCount ?? 0,
      });
    }
  }

  #admitted({ schema, level }: Classified, turn: Turn): FlowTurn {
    const labels = {
      priority_level: level.configuration.metadata.name ?? "",
      flow_schema: schema.metadata.name ?? "",
    };
    const headers = headersOf({ schema, level });
    if ("rejected" in turn) {
      this.#metrics.rejected(labels, turn.rejected);
      return { refusal: tooManyRequests(), headers };
    }
    this.#metrics.dispatched(labels, turn.waitedMs);
    const { clock } = this.#deps;
    const startedMs = clock.monotonicMs();
    return {
      headers,
      leave: () => {
        turn.seat.leave();
        this.#metrics.executed(labels, clock.monotonicMs() - startedMs);
      },
    };
  }

  #classify(user: UserInfo, info: RequestInfo): Classified {
    for (const schema of this.#schemas) {
      const level = this.#levels.get(levelNameOf(schema));
      if (level !== undefined && matchesFlow(schema, user, info)) return { schema, level };
    }
    // The schema catch-all matches every user, and always exists with its level.
    throw new Error(`no FlowSchema matches the request of ${user.name}`);
  }

  #configure(): void {
    const { store, clock } = this.#deps;
    const read = <T>(type: typeof flowSchemas | typeof priorityLevelConfigurations): T[] =>
      store.list(storePrefix(type, "")).entries.map((entry) => decodeEntry(entry) as T);
    this.#schemas = inMatchingOrder(withMandatory(read<FlowSchema>(flowSchemas), mandatoryFlowSchemas));
    const configurations = withMandatory(
      read<PriorityLevelConfiguration>(priorityLevelConfigurations),
      mandatoryPriorityLevels,
    );
    const seats = planNominalSeats(this.#options.seats, configurations.map(sharesOf));
    const before = this.#levels;
    this.#levels = new Map(
      configurations.map((configuration, index) => {
        const name = configuration.metadata.name ?? "";
        const own = seats[index] ?? { nominal: 0, least: 0, most: 0 };
        const known = before.get(name);
        const isSame = known !== undefined && sameJson(queuingOf(known.configuration), queuingOf(configuration));
        const queues =
          configuration.spec?.type === "Exempt"
            ? undefined
            : isSame && known.queues !== undefined
              ? known.queues
              : new FairQueues(clock, own.nominal, { ...this.#options, queuing: queuingOf(configuration) });
        // Requests that wait in replaced queues are still served by the replaced queues.
        return [name, { configuration, seats: own, queues, need: known?.need ?? 0 }];
      }),
    );
    this.#share();
  }

  #borrow(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#adjustedMs < borrowingPeriodMs) return;
    this.#adjustedMs = nowMs;
    for (const level of this.#levels.values()) {
      const need = level.queues?.takeNeed() ?? 0;
      level.need = Math.max(need, needDecay * level.need + (1 - needDecay) * need);
    }
    this.#share();
  }

  #share(): void {
    const levels = [...this.#levels.values()].filter(({ queues }) => queues !== undefined);
    const isQuiet = levels.every(({ need, seats }) => need <= seats.nominal);
    const current = isQuiet
      ? levels.map(({ seats }) => seats.nominal)
      : planCurrentSeats(
          levels.map(({ seats }) => seats),
          levels.map(({ need }) => need),
        );
    levels.forEach(({ queues }, index) => queues?.setSeats(current[index] ?? 1));
  }
}

const groupPrefix = `${flowSchemas.group}/`;
const exemptSeat = { leave: () => {} };

function headersOf({ schema, level }: Classified): Record<string, string> {
  return {
    "x-kubernetes-pf-flowschema-uid": schema.metadata.uid ?? "",
    "x-kubernetes-pf-prioritylevel-uid": level.configuration.metadata.uid ?? "",
  };
}

function levelNameOf({ spec }: FlowSchema): string {
  return spec?.priorityLevelConfiguration.name ?? "";
}

function sharesOf({ spec }: PriorityLevelConfiguration) {
  const { nominalConcurrencyShares: shares = 0, lendablePercent: lendable = 0 } = spec?.limited ?? spec?.exempt ?? {};
  return { shares, lendable, borrowing: spec?.limited?.borrowingLimitPercent };
}

function queuingOf({ spec }: PriorityLevelConfiguration) {
  const queuing = spec?.limited?.limitResponse?.queuing;
  if (queuing === undefined) return undefined;
  const { queues = 64, handSize = 8, queueLengthLimit: queueLengthMax = 50 } = queuing;
  return { queues, handSize, queueLengthMax };
}

/** A deleted mandatory object counts in its original form, because the server requires it. */
function withMandatory<T extends FlowSchema | PriorityLevelConfiguration>(stored: T[], known: readonly T[]): T[] {
  const names = new Set(stored.map(({ metadata }) => metadata.name));
  return [...stored, ...known.filter(({ metadata }) => !names.has(metadata.name))];
}
