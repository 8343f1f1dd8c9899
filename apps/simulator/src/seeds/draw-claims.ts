import { SeededRandom } from "@kintsugi/clock/testing";
import type { Scenario, ScenarioWorkload } from "@kintsugi/simulation";

const replicasMax = 3;
/** This is far from every seed that is used, and from the other dice of a life. */
const claimsDice = 0x4c000000;

/**
 * The same life with disks for the pods of its StatefulSets, if the user says so. A life without
 * such a set gets one.
 */
export function withClaims(drawn: Scenario, wanted = false): Scenario {
  if (!wanted) return drawn;
  const random = new SeededRandom(drawn.seed + claimsDice);
  const added: ScenarioWorkload = {
    name: "disks",
    kind: "StatefulSet",
    replicas: 1 + random.integer(replicasMax),
    ...(random.float() < 0.5 ? { parallel: true } : {}),
  };
  const isSet = ({ kind }: ScenarioWorkload) => kind === "StatefulSet";
  const workloads = drawn.workloads.some(isSet) ? drawn.workloads : [...drawn.workloads, added];
  return { ...drawn, workloads: workloads.map((each) => (isSet(each) ? { ...each, claims: true } : each)) };
}
