import {
  type ChangeStream,
  endpointSlices,
  type EndpointSlice,
  type Ingress,
  ingressClasses,
  ingresses,
  isApiError,
  type Secret,
  secrets,
  services,
} from "@kintsugi/api";
import { createEventRecorder, createInformer, type EventRecorder } from "@kintsugi/client";
import { backoffDelayMs, Waiter } from "@kintsugi/clock";
import { runTogether, type LedControllersDeps } from "@kintsugi/controller";
import type { Gateway } from "./gateway.ts";
import { IngressMetrics } from "./ingress-metrics.ts";
import { checkCertificate } from "./plan/check-certificate.ts";
import { serviceOfSlice } from "./plan/find-backend.ts";
import { ownedIngresses } from "./plan/owned-ingresses.ts";
import { inTurns } from "./plan/path-shares.ts";
import { type PlannedRoutes, planRoutes } from "./plan/plan-routes.ts";
import type { RoutePlan, RouteProblem } from "./plan/route-plan.ts";
import { planIngressStatus } from "./plan-ingress-status.ts";

export interface IngressControllerDeps extends LedControllersDeps {
  /** Absent: the informers follow over HTTP. */
  changes?: ChangeStream | undefined;
  gateway: Gateway;
}

export interface IngressControllerOptions {
  /** The address or host name at which clients reach the server in front. */
  publishAddress: string;
  /**
   * The shortest time between two sets of routes, because the server needs a new process for each
   * set.
   */
  minSyncPeriodMs: number;
}

const backoff = { initialMs: 500, factor: 2, maxMs: 30_000 };
/** Limit of reported problems that are remembered, so that each problem has one event. */
const reportedMax = 10_000;

/** Serves the Ingresses of its classes by the server in front. Nothing runs before `run`. */
export function createIngressController(deps: IngressControllerDeps, options: IngressControllerOptions) {
  return new IngressController(deps, options);
}

class IngressController {
  readonly #deps: IngressControllerDeps;
  readonly #options: IngressControllerOptions;
  readonly #followed: Followed;
  readonly #metrics: IngressMetrics;
  readonly #events: EventRecorder;
  readonly #waiter = new Waiter();
  #isStale = true;
  #served: string | undefined;
  #failures = 0;
  #reported = new Set<string>();

  constructor(deps: IngressControllerDeps, options: IngressControllerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#followed = follow(deps);
    this.#metrics = new IngressMetrics(deps.metrics);
    this.#events = createEventRecorder(deps, { component: "ingress-controller" });
  }

  /** True when all objects have been read and their routes are served. */
  get serves(): boolean {
    return this.#served !== undefined;
  }

  /** Serves until the signal aborts; then ends the server in front. */
  async run(signal: AbortSignal): Promise<void> {
    const informers = Object.values(this.#followed);
    const stops = informers.map((informer) => informer.onChange(() => this.#queue()));
    const keep = async (ends: AbortSignal) => {
      // Routes from only half of the objects would end connections that another process's routes
      // serve.
      await Promise.all(informers.map((informer) => informer.waitForSync(ends)));
      while (!ends.aborted) await this.#sync(ends);
    };
    try {
      await runTogether(signal, [
        ...informers.map((informer) => (ends: AbortSignal) => informer.run(ends)),
        (ends) => this.#events.run(ends),
        (ends) => this.#deps.gateway.run(ends),
        keep,
      ]);
    } finally {
      for (const stop of stops) stop();
    }
  }

  #queue(): void {
    this.#isStale = true;
    this.#waiter.wake();
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    if (!this.#isStale) return this.#waiter.wait(signal);
    this.#isStale = false;
    const planned = this.#plan();
    const isServed = await this.#serve(planned.plan);
    if (isServed) this.#report(planned.problems);
    const isReported = isServed && (await this.#writeStatuses(signal));
    if (isServed && isReported) {
      this.#failures = 0;
      await clock.sleep(this.#options.minSyncPeriodMs, signal);
      return;
    }
    this.#isStale = true;
    this.#failures++;
    await clock.sleep(backoffDelayMs(this.#failures, backoff), signal);
  }

  #plan(): PlannedRoutes {
    const { classes, ingresses, secrets, services, slices } = this.#followed;
    return planRoutes({
      ingresses: ownedIngresses(ingresses.list(), classes.list()),
      findService: (namespace, name) => services.find({ namespace, name }),
      slicesOf: (namespace, name) => slices.byIndex(byService, `${namespace}/${name}`),
      findSecret: (namespace, name) => secrets.find({ namespace, name }),
      checkCertificate,
    });
  }

  /**
   * Returns whether these routes are served. If they are not, the previous routes are still served.
   */
  async #serve(plan: RoutePlan): Promise<boolean> {
    const { clock, gateway, log } = this.#deps;
    const text = textOf(plan);
    if (text === this.#served) return true;
    const startedMs = clock.monotonicMs();
    try {
      await gateway.serve(plan);
    } catch (error) {
      this.#metrics.failed();
      log.error("routes cannot be served", { error, failures: this.#failures + 1 });
      return false;
    }
    const tookMs = clock.monotonicMs() - startedMs;
    this.#served = text;
    this.#metrics.served(plan, { tookMs, nowMs: clock.nowMs() });
    const { tables, backends, certificates } = plan;
    log.info("routes served", {
      hosts: tables.length,
      backends: backends.length,
      certificates: certificates.length,
      tookMs: Math.round(tookMs),
    });
    return true;
  }

  /** One event for each new problem. */
  #report(problems: readonly RouteProblem[]): void {
    const present = new Set<string>();
    for (const { namespace, ingress: name, reason, message } of inTurns(problems).slice(0, reportedMax)) {
      const ingress = this.#followed.ingresses.find({ namespace, name });
      const key = [ingress?.metadata.uid, reason, message].join(" ");
      if (ingress === undefined || present.has(key)) continue;
      present.add(key);
      if (!this.#reported.has(key)) this.#events.record(ingress, { type: "Warning", reason, message });
    }
    this.#reported = present;
  }

  /** Returns whether all statuses could be written. */
  async #writeStatuses(signal: AbortSignal): Promise<boolean> {
    const { client, log } = this.#deps;
    const classes = this.#followed.classes.list();
    let areWritten = true;
    for (const ingress of this.#followed.ingresses.list()) {
      const points = planIngressStatus(ingress, classes, this.#options.publishAddress);
      if (points === undefined) continue;
      const { namespace = "", name = "", uid } = ingress.metadata;
      // The UID prevents a new Ingress of the same name from getting the status of an older
      // Ingress.
      const body = { metadata: { uid }, status: { loadBalancer: { ingress: points } } };
      try {
        await client.patch(
          ingresses,
          { namespace, name },
          { type: "merge", body },
          { subresource: "status", signal, fieldManager: "ingress-controller" },
        );
      } catch (error) {
        if (isApiError(error, "NotFound") || isApiError(error, "Conflict")) continue;
        if (signal.aborted) throw error;
        log.warn("status of an Ingress cannot be written", { namespace, ingress: name, error });
        areWritten = false;
      }
    }
    return areWritten;
  }
}

const byService = "service";

type Followed = ReturnType<typeof follow>;

function follow(deps: IngressControllerDeps) {
  const sliceIndexes = { [byService]: (slice: EndpointSlice) => serviceOfSlice(slice) };
  return {
    ingresses: createInformer<Ingress>(deps, { type: ingresses }),
    classes: createInformer(deps, { type: ingressClasses }),
    services: createInformer(deps, { type: services }),
    slices: createInformer(deps, { type: endpointSlices, indexes: sliceIndexes }),
    secrets: createInformer(deps, { type: secrets, keeps: isCertificate }),
  };
}

function isCertificate({ type }: Secret): boolean {
  return type === "kubernetes.io/tls";
}

/** Equal texts mean equal routes. */
function textOf(plan: RoutePlan): string {
  return JSON.stringify(plan, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}
