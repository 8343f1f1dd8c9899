import { type HorizontalPodAutoscaler, horizontalPodAutoscalers, parseKey, pods, sameJson } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { podsNear } from "../../shared/pods-with-labels.ts";
import type { ScalingHistory } from "./bounds/scaling-history.ts";
import { KnownSelectors } from "./known-selectors.ts";
import { MetricsReader } from "./metrics/metrics-reader.ts";
import type { horizontalPodAutoscalerOptions } from "./options.ts";
import {
  type AutoscalerPlan,
  planByMetrics,
  planNotRescaled,
  planRescaled,
  planWithoutMetrics,
  planWithoutPods,
  planWithoutScale,
  type ScaleSubject,
} from "./plan.ts";
import { type ScaleTarget, ScaleTargets } from "./scale-target.ts";
import { readSelector, targetPods } from "./target-pods.ts";

type Context = ControllerContext<typeof horizontalPodAutoscalerOptions>;

/**
 * Decides about one autoscaler at every period. It reads the size of the scaled object and the
 * metrics of its pods, writes a new size where necessary, and then writes the status.
 */
export class AutoscalerReconciler implements Reconciler {
  readonly #context: Context;
  readonly #targets: ScaleTargets;
  readonly #reader: MetricsReader;
  /** The recent history of each autoscaler that exists. */
  readonly #histories = new Map<string, ScalingHistory>();
  /** The selector of the target of each autoscaler that exists, once it has been read. */
  readonly #selectors = new KnownSelectors();

  constructor(context: Context) {
    const { client } = context;
    this.#context = context;
    this.#targets = new ScaleTargets(context);
    this.#reader = new MetricsReader({
      client,
      findType: (group, kind, signal) => this.#targets.findType(group, kind, signal),
    });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, options } = this.#context;
    const autoscaler = informers.of(horizontalPodAutoscalers).find(parseKey(key));
    if (autoscaler === undefined) {
      this.#histories.delete(key);
      this.#selectors.delete(key);
      return done;
    }
    const plan = await this.#act(key, autoscaler, signal);
    if (plan.history !== undefined) this.#histories.set(key, plan.history);
    await this.#report(autoscaler, plan, signal);
    return { retryAfterMs: options.hpaSyncPeriodMs };
  }

  async #act(key: string, autoscaler: HorizontalPodAutoscaler, signal: AbortSignal): Promise<AutoscalerPlan> {
    const { clock } = this.#context;
    const { namespace = "" } = autoscaler.metadata;
    const target = await this.#targets.read(autoscaler.spec.scaleTargetRef, namespace, signal);
    if (!target.known) return planWithoutScale({ autoscaler, nowMs: clock.nowMs() }, target.because);
    const { spec, status } = target.value.scale;
    const subject: ScaleSubject = {
      autoscaler,
      specReplicas: spec?.replicas ?? 0,
      statusReplicas: status?.replicas ?? 0,
      history: this.#histories.get(key),
      nowMs: clock.nowMs(),
    };
    const plan = planWithoutMetrics(subject) ?? (await this.#measure(key, subject, { target: target.value, signal }));
    return this.#rescale(plan, autoscaler, { target: target.value, signal });
  }

  async #measure(
    key: string,
    subject: ScaleSubject,
    { target, signal }: { target: ScaleTarget; signal: AbortSignal },
  ): Promise<AutoscalerPlan> {
    const { clock, informers, options } = this.#context;
    const { metadata, spec } = subject.autoscaler;
    const { namespace = "" } = metadata;
    const text = target.scale.status?.selector ?? "";
    const selector = readSelector(text);
    if (!selector.fits) return planWithoutPods(subject, selector.fault);
    this.#selectors.set(key, selector.selector);
    const near = podsNear(informers.of(pods), namespace, selector.selector);
    const found = targetPods({ key, text }, near, this.#selectors.near(key));
    if (!found.fits) return planWithoutPods(subject, found.fault);
    const readings = await this.#reader.readAll(spec.metrics ?? [], { namespace, selector: text }, signal);
    const nowMs = clock.nowMs();
    return planByMetrics({ ...subject, nowMs, options, readings, view: { pods: found.pods, nowMs, options } });
  }

  async #rescale(
    plan: AutoscalerPlan,
    autoscaler: HorizontalPodAutoscaler,
    { target, signal }: { target: ScaleTarget; signal: AbortSignal },
  ): Promise<AutoscalerPlan> {
    const { clock, log } = this.#context;
    const { rescale } = plan;
    if (rescale === undefined) return plan;
    const written = await this.#targets.write(target, rescale.to, signal);
    const nowMs = clock.nowMs();
    if (!written.known) {
      const desiredBefore = autoscaler.status?.desiredReplicas ?? 0;
      return planNotRescaled(plan, { rescale, because: written.because, desiredBefore }, nowMs);
    }
    log.info("target rescaled", { autoscaler: autoscaler.metadata.name ?? "", ...rescale });
    return planRescaled(plan, rescale, nowMs);
  }

  async #report(autoscaler: HorizontalPodAutoscaler, plan: AutoscalerPlan, signal: AbortSignal): Promise<void> {
    const { client, recordEvent } = this.#context;
    const about = referenceTo(horizontalPodAutoscalers, autoscaler);
    for (const note of plan.notes) recordEvent({ about, ...note });
    if (sameJson(plan.status, autoscaler.status)) return;
    const next = { ...autoscaler, status: plan.status };
    await client.update(horizontalPodAutoscalers, next, { subresource: "status", signal });
  }
}
