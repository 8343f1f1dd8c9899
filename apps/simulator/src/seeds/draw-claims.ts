import { SeededRandom } from "@kintsugi/clock/simulated";
import type { PlannedFault, Scenario, ScenarioWorkload } from "@kintsugi/simulation";

const replicasMax = 3;
/** Largest number of expansions of one run's claims. */
const growthsMax = 3;
/** Far from all seeds in use, and from the other seeds of a run. */
const claimsSeedOffset = 0x4c000000;

/**
 * Returns the run with disks for the pods of its StatefulSets, and with expansions of these disks,
 * if the user requests it. A run without a StatefulSet gets a StatefulSet. @param options.faults if
 * a user names faults, only these are used.
 */
export function withClaims(
  drawn: Scenario,
  { claims: wanted = false, faults: names }: { claims?: boolean | undefined; faults?: readonly string[] | undefined },
): Scenario {
  if (!wanted) return drawn;
  const random = new SeededRandom(drawn.seed + claimsSeedOffset);
  const added: ScenarioWorkload = {
    name: "disks",
    kind: "StatefulSet",
    replicas: 1 + random.integer(replicasMax),
    ...(random.float() < 0.5 ? { parallel: true } : {}),
  };
  const isSet = ({ kind }: ScenarioWorkload) => kind === "StatefulSet";
  const workloads = drawn.workloads.some(isSet) ? drawn.workloads : [...drawn.workloads, added];
  const growths: PlannedFault[] = Array.from(
    { length: names === undefined ? random.integer(growthsMax + 1) : 0 },
    () => ({ fault: "grow-claim", atMs: random.integer(drawn.durationMs) }),
  );
  return {
    ...drawn,
    workloads: workloads.map((each) => (isSet(each) ? { ...each, claims: true } : each)),
    faults: [...drawn.faults, ...growths],
  };
}
