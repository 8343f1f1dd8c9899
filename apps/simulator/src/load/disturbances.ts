import type { Clock, Random } from "@kintsugi/clock";
import { pick, type Wire } from "@kintsugi/simulation";

/** Begins a fault of a client's wire; returns a function that ends it. */
type Disturbance = (wire: Wire, random: Random) => () => void;

const disturbances: readonly Disturbance[] = [
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
  (wire, random) => wire.impairments.add(() => ({ delayMs: random.integer(delayMaxMs) })),
  (wire, random) => wire.impairments.add(() => (random.float() < lossShare ? "lost" : undefined)),
];
const delayMaxMs = 2000;
const lossShare = 0.3;
/** Average time between faults, and longest duration of a fault. */
const everyMs = 15_000;
const lastsMaxMs = 5000;

/** Applies faults to one wire after the other, until the signal aborts. */
export function runDisturbances(
  deps: { clock: Clock; random: Random; wires: readonly Wire[] },
  signal: AbortSignal,
): void {
  const { clock, random, wires } = deps;
  clock.after(random.integer(2 * everyMs), () => {
    const wire = pick(random, wires);
    const disturbance = pick(random, disturbances);
    if (signal.aborted || !wire || !disturbance) return;
    const end = disturbance(wire, random);
    clock.after(random.integer(lastsMaxMs), end);
    runDisturbances(deps, signal);
  });
}
