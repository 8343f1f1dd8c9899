import { badRequest } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import { allOf, type Fault, word, type World } from "../fault.ts";
import { nodeOf } from "../targets.ts";

const probeKinds: readonly string[] = ["readiness", "liveness", "startup"];

/** Faults of the kubelet's probes. */
export const probeFaults: readonly Fault[] = [
  {
    name: "probes-fail",
    catalogue: [],
    drawnApart: true,
    onlyByName: true,
    sentence:
      "The probes `probe` of the pod `pod` fail: readiness, liveness, startup, several with commas. Without `probe` all fail, and without `pod` those of all pods of a node.",
    target: "node",
    lasts: true,
    inject: (world, planned) => {
      const pod = word(planned, "pod", "");
      const kinds = kindsIn(planned);
      if (pod !== "" && !isThere(world, pod)) return undefined;
      const nodes = pod === "" || planned.target !== undefined ? [nodeOf(world, planned)] : world.cluster.nodes;
      const undos = nodes.flatMap(
        (node) =>
          node?.probes.add(
            ({ kind, namespace, podName }) => kinds.includes(kind) && (pod === "" || pod === `${namespace}/${podName}`),
          ) ?? [],
      );
      return undos.length === 0 ? undefined : allOf(undos);
    },
  },
];

/** @throws ApiError BadRequest */
function kindsIn(planned: PlannedFault): readonly string[] {
  const kinds = word(planned, "probe", probeKinds.join(",")).split(",");
  for (const kind of kinds)
    if (!probeKinds.includes(kind))
      throw badRequest(`with.probe: ${JSON.stringify(kind)} is no kind of probe; there are ${probeKinds.join(", ")}`);
  return kinds;
}

/** @param pod "default/web-0" */
function isThere({ cluster }: World, pod: string): boolean {
  const key = `core/pods/${pod}`;
  return cluster.store.list(key).entries.some((entry) => entry.key === key);
}
