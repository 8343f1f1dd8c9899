import { type Bar, type Lane, type PodState, stateOf } from "@kintsugi/story";

/** Writes a length of time for people: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function lengthText(ms: number): string {
  if (ms <= 0) return "0 s";
  if (ms < 100) return "under 0.1 s";
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return joined(`${Math.floor(whole / 60)} min`, `${whole % 60} s`);
  return joined(`${Math.floor(whole / 3600)} h`, `${Math.floor((whole % 3600) / 60)} min`);
}

/** Writes the time between an event and a later step: "immediately", "after 5.0 s". */
export function afterText(ms: number): string {
  return ms < 100 ? "immediately" : `after ${lengthText(ms)}`;
}

const memoryUnits = ["Ki", "Mi", "Gi", "Ti"];

/**
 * Writes a quantity of memory in the largest unit that keeps two digits: "24581684Ki" is "23.4Gi".
 */
export function memoryText(quantity: string): string {
  const [, digits = "", unit = ""] = /^(\d+)(Ki|Mi|Gi|Ti|)$/.exec(quantity) ?? [];
  if (digits === "") return quantity;
  let [value, power] = [Number(digits), memoryUnits.indexOf(unit)];
  while (value >= 1024 && power < memoryUnits.length - 1) [value, power] = [value / 1024, power + 1];
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)}${memoryUnits[power] ?? ""}`;
}

/** Counts things: "1 pod", "3 pods". */
export function countText(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`;
}

function joined(large: string, small: string): string {
  return small.startsWith("0 ") ? large : `${large} ${small}`;
}

/** Writes a moment with its zone: "13:04:05 UTC". */
export function zonedClockText(ms: number): string {
  return `${clockText(ms)} UTC`;
}

/** Writes a moment as the clock of the cluster shows it, in UTC: "13:04:05". */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000) % 86_400;
  const part = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${part(seconds / 3600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}`;
}

/** Kubernetes' word for each state of a pod, and its meaning. */
const stateWords = {
  pending: ["Pending", "it waits for a node"],
  starting: ["ContainerCreating", "its containers start"],
  ready: ["Ready", "it serves"],
  unready: ["NotReady", "it does not serve, or its node does not report"],
  waiting: ["CrashLoopBackOff", "a container keeps ending, and waits to be started again"],
  terminating: ["Terminating", "it is being deleted"],
  succeeded: ["Completed", "its work is done"],
  failed: ["Failed", "it ended, and is not started again"],
} as const;

/** Names a state of a pod as kubectl does. */
export function stateText(state: PodState): string {
  return stateWords[state][0];
}

/** Explains a state of a pod. */
export function stateMeaning(state: PodState): string {
  return stateWords[state][1];
}

/** Names the state of a pod as kubectl does, with the reason of a container that waits. */
export function podText(bar: Pick<Bar, "spans">): string {
  const state = stateOf(bar);
  const reason =
    state === "waiting" ? /^container-waiting .*: (\w+)/.exec(bar.spans.at(-1)?.because ?? "")?.[1] : undefined;
  return reason ?? stateText(state);
}

type NodeState = Lane["spans"][number]["state"];

const nodeWords = {
  ready: ["Ready", ""],
  notReady: ["NotReady", ""],
  silent: ["NotReady", "silent"],
  gone: ["deleted", ""],
} as const;

/** Names a state of a node as kubectl does: "NotReady". */
export function nodeText(state: NodeState): string {
  return nodeWords[state][0];
}

/** Names a state of a node with its explanation: "NotReady (silent)". */
export function nodeTextInFull(state: NodeState): string {
  const [word, meaning] = nodeWords[state];
  return meaning === "" ? word : `${word} (${meaning})`;
}

const stepWords: Readonly<Record<string, string>> = {
  created: "was created",
  bound: "was bound to",
  deleted: "is gone",
  terminating: "is being deleted,",
  phase: "is",
  condition: "reports",
  cordoned: "was cordoned",
  uncordoned: "was uncordoned",
  "taint-added": "got the taint",
  "taint-removed": "lost the taint",
  "container-running": "runs container",
  "container-terminated": "lost container",
  "container-waiting": "waits with container",
  leads: "is held by",
  released: "was released by",
};

/** Writes a step of the timeline as the rest of a sentence about its object. */
export function toldStep({ what, detail }: { what: string; detail: string }): string {
  return `${stepWords[what] ?? what} ${detail}`.trim();
}
