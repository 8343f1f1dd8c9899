/** Writes a length of time for people: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function lengthText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return joined(`${Math.floor(whole / 60)} min`, `${whole % 60} s`);
  return joined(`${Math.floor(whole / 3600)} h`, `${Math.floor((whole % 3600) / 60)} min`);
}

function joined(large: string, small: string): string {
  return small.startsWith("0 ") ? large : `${large} ${small}`;
}

/** Writes a moment as the clock of the cluster shows it, in UTC: "13:04:05". */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000) % 86_400;
  const part = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${part(seconds / 3600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}`;
}

const stateWords = {
  pending: "waits for a node",
  starting: "starts",
  ready: "ready",
  unready: "not ready",
  waiting: "waits to restart",
  terminating: "ends",
  succeeded: "completed",
  failed: "failed",
} as const;

/** Names a state of a pod in words. */
export function stateText(state: keyof typeof stateWords): string {
  return stateWords[state];
}

const nodeWords = { ready: "ready", notReady: "not ready", silent: "silent", gone: "gone" } as const;

/** Names a state of a node in words. */
export function nodeText(state: keyof typeof nodeWords): string {
  return nodeWords[state];
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
  released: "was given back by",
};

/** Writes a step of the timeline as the rest of a sentence about its object. */
export function toldStep({ what, detail }: { what: string; detail: string }): string {
  return `${stepWords[what] ?? what} ${detail}`.trim();
}
