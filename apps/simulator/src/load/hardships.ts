import type { Clock, Random } from "@kintsugi/clock";
import { pick, type Wire } from "@kintsugi/simulation";

/** Begins a fault of a client's wire; returns a function that ends it. */
type Hardship = (wire: Wire, random: Random) => () => void;

const hardships: readonly Hardship[] = [
  (wire) => {
    wire.cut();
    return () => wire.heal();
  },
  // The server carries out the request, but its client never receives the response.
  (wire) => {
    wire.in.cut();
    return () => wire.in.heal();
  },
  (wire) => {
    wire.out.cut();
    return () => wire.out.heal();
  },
  // The client has already given up when the responses arrive.
  (wire, random) => wire.weather.add(() => ({ delayMs: random.integer(delayMaxMs) })),
  (wire, random) => wire.weather.add(() => (random.float() < lossShare ? "lost" : undefined)),
];
const delayMaxMs = 2000;
const lossShare = 0.3;
/** Average time between faults, and longest duration of a fault. */
const everyMs = 15_000;
const lastsMaxMs = 5000;

/** Applies faults to one wire after the other, until the signal aborts. */
export function runHardships(
  deps: { clock: Clock; random: Random; wires: readonly Wire[] },
  signal: AbortSignal,
): void {
  const { clock, random, wires } = deps;
  clock.after(random.integer(2 * everyMs), () => {
    const wire = pick(random, wires);
    const hardship = pick(random, hardships);
    if (signal.aborted || !wire || !hardship) return;
    const end = hardship(wire, random);
    clock.after(random.integer(lastsMaxMs), end);
    runHardships(deps, signal);
  });
}
