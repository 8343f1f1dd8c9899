import { formatDuration, escapeMarkup } from "@kintsugi/api";

/** An event of an explored run. */
export interface RunEvent {
  /** Milliseconds after the setup. */
  readonly atMs: number;
  readonly who: "operator" | "user" | "fault" | "invariant";
  readonly what: string;
}

/** A run that writes more than this has a loop without a pause, which its first writes show. */
export const runEventsMax = 5_000;

/** Renders the run of a seed that violated an invariant, as one self-contained page. */
export function renderFailure({
  seed,
  message,
  timeline,
}: {
  seed: number;
  message: string;
  timeline: readonly RunEvent[];
}): string {
  const rows = timeline.map(
    ({ atMs, who, what }) =>
      `<tr class="${who}"><td>${formatDuration(atMs)}</td><td>${who}</td><td>${escapeMarkup(what)}</td></tr>`,
  );
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>Seed ${seed}</title><style>${style}</style></head><body>`,
    `<h1>Seed ${seed}: ${escapeMarkup(message)}</h1>`,
    `<table><thead><tr><th>after</th><th>who</th><th>what</th></tr></thead><tbody>`,
    ...rows,
    "</tbody></table></body></html>",
    "",
  ].join("\n");
}

const style = [
  "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}",
  "h1{font-size:1.2rem}td,th{text-align:left;padding:.1rem .8rem .1rem 0;vertical-align:top}",
  "td:first-child{font-variant-numeric:tabular-nums;white-space:nowrap}",
  ".fault td{font-weight:600}.invariant td{font-weight:700;text-decoration:underline}.user td{font-style:italic}",
].join("");
