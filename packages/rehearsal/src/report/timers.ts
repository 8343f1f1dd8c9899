import type { CauseKind, CauseStep } from "../outcomes/outcome.ts";
import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import { endlessShare } from "./words.ts";

/** The seconds of downtime that one timer, or one kind of work, causes. */
export interface TimerRow {
  /** "a silent node counts as lost". */
  readonly what: string;
  /** The field, the flag or the program that determines the timer. */
  readonly setBy: string;
  /**
   * The sum of the downtimes of the worst run of each answer, without endless downtimes, in
   * milliseconds.
   */
  readonly downtimeMs: number;
  /** The share of all downtime that is not endless. */
  readonly share: number;
  readonly answers: number;
}

interface Timer {
  readonly what: string;
  readonly setBy: string;
  /** The steps of a chain of causes that end a span of this timer. */
  readonly until: readonly CauseKind[];
}

const timers: readonly Timer[] = [
  {
    what: "a silent node counts as lost",
    setBy: "--node-monitor-grace-period of the controller-manager",
    until: ["noticed"],
  },
  {
    what: "a pod tolerates that its node is lost",
    setBy: "tolerationSeconds of the pod, 300 by default",
    until: ["told"],
  },
  {
    what: "a pod stops before its replacement is created",
    setBy: "terminationGracePeriodSeconds, preStop and the program",
    until: ["gone"],
  },
  {
    what: "a controller creates a pod, and the scheduler binds it",
    setBy: "free resources, rules, quotas and webhooks",
    until: ["made", "placed", "refused"],
  },
  {
    what: "a pod starts and becomes Ready",
    setBy: "volumes, images, the program and its readiness probe",
    until: ["ready"],
  },
  { what: "a node is down", setBy: "the duration of the fault or reboot", until: ["lost", "back"] },
];

/** Divides the downtime of all answers among the timers, the largest first. */
export function timerRows(answers: readonly Answer[]): TimerRow[] {
  const spans = answers.flatMap(({ workloads }) => workloads.filter(isEnding).map(spansOf));
  const all = spans.reduce((sum, own) => sum + sumOf(own), 0);
  return timers
    .map(({ what, setBy, until }) => {
      const own = spans.map((each) => sumOf(each.filter(({ is }) => until.includes(is)))).filter((ms) => ms > 0);
      const downtimeMs = own.reduce((sum, ms) => sum + ms, 0);
      return { what, setBy, downtimeMs, share: all === 0 ? 0 : downtimeMs / all, answers: own.length };
    })
    .filter(({ downtimeMs }) => downtimeMs > 0)
    .toSorted((a, b) => b.downtimeMs - a.downtimeMs);
}

function isEnding({ downtime, downAtEnd, chain }: WorkloadAnswer): boolean {
  return downtime.worst > 0 && downAtEnd <= endlessShare && chain.some(({ is }) => is === "ready" || is === "back");
}

interface Span {
  readonly is: CauseKind;
  readonly ms: number;
}

// The chain of a Deployment with one pod, down for 351 s. Each span has the kind of its end:
//   lost 0 ── noticed 50 ── told 350 ── made 350 ── placed 350 ── ready 351
//       └ silence 50 ┴ toleration 300 ┴──── 0 ────────┴─ start 1 ┘

/**
 * The spans between the steps until the workload has recovered, cut to the length of the downtime.
 */
function spansOf({ chain, downtime }: WorkloadAnswer): Span[] {
  const last = chain.findIndex(({ is }) => is === "ready" || is === "back");
  const end = chain[last]?.atMs ?? 0;
  const begin = end - downtime.worst;
  return chain
    .slice(0, last + 1)
    .map((step, index) => spanBefore(step, { from: chain[index - 1]?.atMs ?? begin, begin }));
}

function spanBefore({ atMs, is }: CauseStep, { from, begin }: { from: number; begin: number }): Span {
  return { is, ms: Math.max(0, atMs - Math.max(from, begin)) };
}

function sumOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { ms }) => sum + ms, 0);
}
