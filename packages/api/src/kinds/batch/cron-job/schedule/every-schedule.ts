const secondMs = 1000;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: secondMs,
  m: 60 * secondMs,
  h: 3600 * secondMs,
};

/** Go's longest duration, which counts nanoseconds in 63 bits. */
const durationMaxMs = 2 ** 63 / 1e6;

/** Parses `@every 1h30m`; intervals are whole seconds, at least one. */
export function everyOf(text: string): { delayMs: number } | { problem: string } {
  const duration = text.slice("@every ".length);
  const read = readDurationMs(duration);
  if (typeof read === "string") return { problem: `failed to parse duration ${text}: ${read}` };
  return { delayMs: Math.max(secondMs, Math.floor(read / secondMs) * secondMs) };
}

/** Returns a duration in milliseconds, or the error of Go's time.ParseDuration. */
function readDurationMs(text: string): number | string {
  const quoted = JSON.stringify(text);
  const invalid = `time: invalid duration ${quoted}`;
  const sign = text.startsWith("-") ? -1 : 1;
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0;
  if (unsigned === "") return invalid;
  let total = 0;
  let rest = unsigned;
  while (rest !== "") {
    const [number = ""] = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(rest) ?? [];
    if (number === "") return invalid;
    rest = rest.slice(number.length);
    const [unit = ""] = /^[^.\d]+/.exec(rest) ?? [];
    if (unit === "") return `time: missing unit in duration ${quoted}`;
    if (!Object.hasOwn(unitMs, unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    total += Number(number) * (unitMs[unit] ?? 0);
    rest = rest.slice(unit.length);
  }
  return total < durationMaxMs ? sign * total : invalid;
}
