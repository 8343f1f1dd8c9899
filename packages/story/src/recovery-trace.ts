import { podKey } from "./bar.ts";
import type { Recovery, RecoveryStep, RecoveryTurn, Replacement } from "./causes.ts";

/** A stretch of a trace, with the stretches that lie in it. Times are milliseconds since 1970. */
export interface TraceSpan {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly parts: readonly TraceSpan[];
}

/**
 * Pods of one trace that have their own spans. A node runs several hundred pods; trace backends
 * reject traces with thousands of spans.
 */
const tracedPodsMax = 200;

/** The phase that ends with a turn; the first turn begins the recovery. */
const phases: Readonly<Record<Exclude<RecoveryTurn, "silent">, string>> = {
  deleted: "pods are tolerated on the node",
  replaced: "successors are created",
  ready: "successors start",
  returned: "node returns",
};

/**
 * Writes a recovery as a trace: the recovery as the root, its phases and the replaced pods as
 * children.
 *
 *     recovery                           silent ──────────────────────► all successors ready
 *       pods are tolerated on the node   silent ──► first pod deleted
 *       successors are created                      deleted ► created
 *       successors start                                      created ─► ready
 *       pod is replaced                             pod lost ──────────► its successor ready
 *         successor is placed                       pod lost ─► on its node
 *         successor starts                                      on its node ─► ready
 *
 * @param untilMs the end of a recovery that has not ended
 */
export function recoveryTrace({ node, steps, replacements, isOver }: Recovery, untilMs: number): TraceSpan {
  const fromMs = steps[0]?.atMs ?? untilMs;
  const way = stepsToTheEnd(steps);
  const toMs = isOver ? (way.at(-1)?.atMs ?? untilMs) : Math.max(untilMs, fromMs);
  const pods = replacements.slice(0, tracedPodsMax);
  return {
    name: "recovery",
    fromMs,
    toMs,
    attributes: {
      "k8s.node.name": node,
      "kintsugi.recovery.over": isOver,
      "kintsugi.recovery.pods": replacements.length,
    },
    parts: [...way.slice(1).map(phaseSpan), ...pods.map((pod) => podSpan(pod, toMs))],
  };
}

/** A node that returns after its pods are ready on other nodes does not end the recovery again. */
function stepsToTheEnd(steps: readonly RecoveryStep[]): readonly RecoveryStep[] {
  const ready = steps.findIndex(({ is }) => is === "ready");
  return ready < 0 ? steps : steps.slice(0, ready + 1);
}

function phaseSpan({ is, atMs, tookMs = 0, timerMs }: RecoveryStep): TraceSpan {
  const ofTimerMs = Math.min(tookMs, timerMs);
  return {
    name: is === "silent" ? "recovery" : phases[is],
    fromMs: atMs - tookMs,
    toMs: atMs,
    attributes: { "kintsugi.timer_ms": ofTimerMs, "kintsugi.work_ms": tookMs - ofTimerMs },
    parts: [],
  };
}

function podSpan({ lost, lostMs, next }: Replacement, untilMs: number): TraceSpan {
  const readyMs = next.spans.find(({ state }) => state === "ready")?.fromMs;
  const placedMs = Math.max(next.fromMs, lostMs);
  const toMs = Math.max(readyMs ?? untilMs, placedMs);
  const part = (name: string, fromMs: number, endMs: number) => ({
    name,
    fromMs,
    toMs: endMs,
    attributes: {},
    parts: [],
  });
  return {
    name: "pod is replaced",
    fromMs: lostMs,
    toMs,
    attributes: {
      "k8s.namespace.name": next.namespace,
      "k8s.pod.name": next.name,
      "k8s.node.name": next.node,
      "kintsugi.replaced_pod": podKey(lost),
    },
    parts: [part("successor is placed", lostMs, placedMs), part("successor starts", placedMs, toMs)],
  };
}
