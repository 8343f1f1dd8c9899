import type { ApiError, ApiObject, Metrics, ResourceType } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { StoreReader } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { AdmissionMetrics, type AdmissionOperation, type AdmissionType, type Timing } from "./admission-metrics.ts";

/** A write as admission sees it. Steps may change `object` when the write creates it or updates its spec. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly user: UserInfo;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The object as it would be stored, or the body of a subresource (Binding, Eviction); absent for deletes. */
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly reader: Pick<StoreReader, "find">;
}

/** One rule. Synchronous, because it runs while a write's batch is formed. */
export interface AdmissionStep {
  /** Upstream's name of the plugin. */
  readonly name: string;
  /** Changes `request.object`. */
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): ApiError | undefined;
}

export interface Admission {
  mutate(request: AdmissionRequest): void;
  /** @throws ApiError what the first step that refuses says. */
  validate(request: AdmissionRequest): void;
}

export function createAdmission(deps: { clock: Clock; metrics: Metrics }, steps: readonly AdmissionStep[]): Admission {
  const metrics = new AdmissionMetrics(deps.metrics);
  const mutating = timedSteps(
    metrics,
    "admit",
    steps.filter((step) => step.mutate !== undefined),
  );
  const validating = timedSteps(
    metrics,
    "validate",
    steps.filter((step) => step.validate !== undefined),
  );
  /** Lets each step do its work until one refuses, and times each and all of them. */
  const runTimed = (
    { operation }: AdmissionRequest,
    work: TimedSteps,
    apply: (step: AdmissionStep) => ApiError | undefined | void,
  ): void => {
    const startedMs = deps.clock.monotonicMs();
    let doneMs = startedMs;
    let refusal: ApiError | undefined;
    for (const { step, timing } of work.steps) {
      const stepStartedMs = doneMs;
      refusal = apply(step) ?? undefined;
      doneMs = deps.clock.monotonicMs();
      timing(operation, refusal !== undefined, (doneMs - stepStartedMs) / 1000);
      if (refusal !== undefined) break;
    }
    work.timing(operation, refusal !== undefined, (doneMs - startedMs) / 1000);
    if (refusal !== undefined) throw refusal;
  };
  return {
    mutate: (request) => runTimed(request, mutating, (step) => step.mutate?.(request)),
    validate: (request) => runTimed(request, validating, (step) => step.validate?.(request)),
  };
}

interface TimedSteps {
  readonly steps: readonly { step: AdmissionStep; timing: Timing }[];
  readonly timing: Timing;
}

function timedSteps(metrics: AdmissionMetrics, type: AdmissionType, steps: readonly AdmissionStep[]): TimedSteps {
  return {
    steps: steps.map((step) => ({ step, timing: metrics.ofController(step.name, type) })),
    timing: metrics.ofStep(type),
  };
}

/** The object that the request creates, if it is of this type; a subresource creates none of its own. */
export function createdObject<T extends ApiObject>(request: AdmissionRequest, type: ResourceType<T>): T | undefined {
  const { operation, resource, subresource, object } = request;
  if (operation !== "create" || resource.type.kind !== type.kind || subresource !== "") return undefined;
  return object as T | undefined;
}
