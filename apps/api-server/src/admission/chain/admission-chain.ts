import { type ApiError, internalError, isApiError, type Logger, type Metrics, messageOf } from "@kintsugi/api";
import { type Clock, onAbort } from "@kintsugi/clock";
import type { KubeObject } from "../../resources/resource.ts";
import type { StoreReader } from "@kintsugi/store";
import type {
  AdmissionRequest,
  AdmissionStep,
  AdmissionTarget,
  AnyAdmissionStep,
  AsyncAdmissionStep,
} from "../admission.ts";
import type { ExpressionTurns } from "../expressions/expression-turns.ts";
import { AdmissionMetrics, type AdmissionType, type Timing } from "./admission-metrics.ts";
import { createStepFinder, isAsync, type StepLists, type TimedStep } from "./step-lists.ts";

/**
 * All admission steps as one value. Where no asynchronous step handles a request, only the first
 * two functions are called.
 */
export interface Admission {
  /**
   * Runs the synchronous mutating steps, and returns the request with the changed object. `adopt`
   * converts a replaced object to the kind.
   * @throws ApiError of the first step that rejects.
   */
  mutate(request: AdmissionRequest, adopt: (object: KubeObject) => KubeObject): AdmissionRequest;
  /** Runs the synchronous validating steps. @throws ApiError of the first step that rejects. */
  validate(request: AdmissionRequest): void;
  /**
   * Runs the steps that check a write where it is decided. @throws ApiError of the first step that
   * rejects.
   */
  judge(request: AdmissionRequest, reader: StoreReader): void;
  /** True where a step that handles such requests is asynchronous or is not yet prepared. */
  isAsync(target: AdmissionTarget): boolean;
  /**
   * Runs all mutating steps in the order of the list, and resolves with the changed object. `adopt`
   * converts the object that an asynchronous step returned to the kind; later steps see the
   * converted object.
   * @throws ApiError of the first step that rejects or fails, or the reason of `signal`.
   */
  mutateAsync(
    request: AdmissionRequest,
    signal: AbortSignal,
    adopt: (object: KubeObject) => KubeObject,
  ): Promise<KubeObject | undefined>;
  /**
   * Runs all validating steps in the order of the list. @throws ApiError of the first step that
   * rejects or fails, or the reason of `signal`.
   */
  validateAsync(request: AdmissionRequest, signal: AbortSignal): Promise<void>;
}

interface ChainDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Prepares steps in several turns of the event loop. */
  expressionTurns: Pick<ExpressionTurns, "run">;
}

export function createAdmission(deps: ChainDeps, steps: readonly AnyAdmissionStep[]): Admission {
  const { clock } = deps;
  const metrics = new AdmissionMetrics(deps.metrics);
  const find = createStepFinder(metrics, steps);
  const ofType = { admit: metrics.ofStep("admit"), validate: metrics.ofStep("validate") };
  const runSync = createSyncRunner({ clock, find, ofType });
  /**
   * Runs `apply` for each step until a step rejects, and measures the time of each step and of all
   * steps.
   */
  const runAsync = async (
    request: AdmissionRequest,
    type: AdmissionType,
    apply: (step: AnyAdmissionStep) => Promise<void>,
  ): Promise<void> => {
    const list = find(request)[type].filter(({ step }) => step.concerns?.(request) !== false);
    if (list.length === 0) return;
    const startedMs = clock.monotonicMs();
    let rejected = true;
    try {
      for (const timed of list) await runTimed(timed, apply, { clock, operation: request.operation });
      rejected = false;
    } finally {
      ofType[type](request.operation, rejected, (clock.monotonicMs() - startedMs) / 1000);
    }
  };
  return {
    mutate: (first, adopt) => mutateNow(first, adopt, runSync),
    validate: (request) => runSync(request, "validate", (step) => step.validate?.(request)),
    judge: (request, reader) => judgeAtCommit(find(request).atCommit, { clock, request, reader }),
    isAsync: (target) =>
      find(target).async.some((step) => step.concerns?.(target) !== false) ||
      unprepared(find(target), target).length > 0,
    mutateAsync: async (first, signal, adopt) => {
      for (const { preparation } of unprepared(find(first), first)) {
        await deps.expressionTurns.run(preparation?.steps() ?? [], { user: first.user.name, signal });
      }
      let request = first;
      const reinvocation = { isSecond: false, isWanted: false };
      const apply = async (step: AnyAdmissionStep) => {
        const pass = { reinvocation, adopt: (left: KubeObject) => adoptOrFail(step, left, adopt) };
        if (!isAsync(step)) {
          step.mutate?.(request);
          const left = step.replace?.(request, pass);
          if (left !== undefined) request = { ...request, object: left };
          return;
        }
        // Each step gets a copy, because a step that timed out may still write to its object.
        const own = { ...request, object: structuredClone(request.object) };
        const work = (stop: AbortSignal) => step.mutateAsync?.(own, stop, pass);
        const changed = await inTime(deps, { step, doing: "mutation", signal }, work);
        const object = changed ?? own.object;
        if (object !== undefined) request = { ...request, object: adoptOrFail(step, object, adopt) };
      };
      await runAsync(first, "admit", apply);
      if (!reinvocation.isWanted) return request.object;
      // All steps run again so that earlier steps see the change of a later step. There is no third
      // pass.
      reinvocation.isSecond = true;
      await runAsync(first, "admit", apply);
      return request.object;
    },
    validateAsync: (request, signal) =>
      runAsync(request, "validate", async (step) => {
        const refusal = isAsync(step)
          ? await inTime(deps, { step, doing: "validation", signal }, (stop) => step.validateAsync?.(request, stop))
          : step.validate?.(request);
        if (refusal !== undefined) throw refusal;
      }),
  };
}

function unprepared({ prepared }: StepLists, target: AdmissionTarget): readonly AnyAdmissionStep[] {
  return prepared.filter((step) => step.preparation?.isDone() === false && step.concerns?.(target) !== false);
}

type RunSync = (
  request: AdmissionRequest,
  type: AdmissionType,
  apply: (step: AdmissionStep) => ApiError | undefined,
) => void;

/**
 * Runs `apply` for each step until a step rejects, and measures the time of each step and of all
 * steps.
 */
function createSyncRunner({
  clock,
  find,
  ofType,
}: {
  clock: Clock;
  find: ReturnType<typeof createStepFinder>;
  ofType: Readonly<Record<AdmissionType, Timing>>;
}): RunSync {
  return (request, type, apply) => {
    const list = find(request)[type];
    if (list.length === 0) return;
    const startedMs = clock.monotonicMs();
    let doneMs = startedMs;
    let refusal: ApiError | undefined;
    for (const { step, timing } of list) {
      if (isAsync(step) || step.concerns?.(request) === false) continue;
      const stepStartedMs = doneMs;
      refusal = apply(step);
      doneMs = clock.monotonicMs();
      timing(request.operation, refusal !== undefined, (doneMs - stepStartedMs) / 1000);
      if (refusal !== undefined) break;
    }
    ofType[type](request.operation, refusal !== undefined, (doneMs - startedMs) / 1000);
    if (refusal !== undefined) throw refusal;
  };
}

/**
 * Runs the synchronous mutating steps, and runs them a second time if a step requests a second run.
 */
function mutateNow(
  first: AdmissionRequest,
  adopt: (object: KubeObject) => KubeObject,
  runSync: RunSync,
): AdmissionRequest {
  let request = first;
  const pass = { reinvocation: { isSecond: false, isWanted: false }, adopt };
  const apply = (step: AdmissionStep) =>
    orRefusal(() => {
      step.mutate?.(request);
      const object = step.replace?.(request, pass);
      if (object !== undefined) request = { ...request, object };
    });
  runSync(first, "admit", apply);
  if (!pass.reinvocation.isWanted) return request;
  pass.reinvocation.isSecond = true;
  runSync(first, "admit", apply);
  return request;
}

/** @throws ApiError of the first step that rejects. */
function judgeAtCommit(
  list: readonly TimedStep[],
  { clock, request, reader }: { clock: Clock; request: AdmissionRequest; reader: StoreReader },
): void {
  for (const { step, timing } of list) {
    const { atCommit } = step as AdmissionStep;
    if (atCommit?.concerns(request, reader) !== true) continue;
    const startedMs = clock.monotonicMs();
    const refusal = atCommit.judge(request, reader);
    timing(request.operation, refusal !== undefined, (clock.monotonicMs() - startedMs) / 1000);
    if (refusal !== undefined) throw refusal;
  }
}

/** A rejection that a step throws counts like a rejection that it returns. */
function orRefusal(run: () => void): ApiError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}

async function runTimed(
  { step, timing }: TimedStep,
  apply: (step: AnyAdmissionStep) => Promise<void>,
  by: { clock: Clock; operation: AdmissionRequest["operation"] },
): Promise<void> {
  const startedMs = by.clock.monotonicMs();
  let rejected = true;
  try {
    await apply(step);
    rejected = false;
  } finally {
    timing(by.operation, rejected, (by.clock.monotonicMs() - startedMs) / 1000);
  }
}

/**
 * Upstream also answers with 500 when a webhook's patch produces an object that cannot be parsed.
 */
function adoptOrFail(
  step: AnyAdmissionStep,
  object: KubeObject,
  adopt: (object: KubeObject) => KubeObject,
): KubeObject {
  try {
    return adopt(object);
  } catch (error) {
    throw failed(step, error);
  }
}

function failed({ name }: AnyAdmissionStep, error: unknown): ApiError {
  const text = messageOf(error);
  return internalError(`admission plugin ${JSON.stringify(name)} failed: ${text}`, error);
}

interface Waiting {
  step: AsyncAdmissionStep;
  /** Upstream's message names the plugin. */
  doing: "mutation" | "validation";
  /** The deadline of the whole request. */
  signal: AbortSignal;
}

/**
 * Waits for a step until the time of the step or of the request has ended. A step that does not end
 * in that time is abandoned.
 */
function inTime<T>(
  { clock, log }: ChainDeps,
  { step, doing, signal }: Waiting,
  work: (stop: AbortSignal) => Promise<T> | undefined,
): Promise<T | undefined> {
  const { name, timeoutMs } = step;
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      timer.cancel();
      stopListening();
      end();
    };
    const giveUp = (reason: unknown): void =>
      settle(() => {
        stop.abort(reason);
        reject(reason as Error);
      });
    const timer = clock.after(timeoutMs, () => {
      const because = `admission plugin ${JSON.stringify(name)} failed to complete ${doing} in ${timeoutMs / 1000}s`;
      giveUp(internalError(because));
    });
    const stopListening = onAbort(signal, () => giveUp(signal.reason));
    if (signal.aborted) return giveUp(signal.reason);
    start(work, stop.signal).then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => {
        if (!isApiError(error) && !stop.signal.aborted) log.error("admission step failed", { name, doing, error });
        settle(() => reject(isApiError(error) ? error : failed(step, error)));
      },
    );
  });
}

/** A step that throws before it returns a promise fails like any other step. */
async function start<T>(
  work: (stop: AbortSignal) => Promise<T> | undefined,
  stop: AbortSignal,
): Promise<T | undefined> {
  return work(stop);
}
