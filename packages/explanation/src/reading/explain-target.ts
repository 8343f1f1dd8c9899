import {
  type ApiObject,
  cronJobs,
  daemonSets,
  deployments,
  horizontalPodAutoscalers,
  jobs,
  namespaces,
  nodes,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  type ResourceType,
  services,
  statefulSets,
  volumeSnapshots,
} from "@kintsugi/api";
import type { Explained } from "../explain.ts";
import { NotExplainable } from "./object-reader.ts";

/** The kinds that can be explained; kinds that run pods are first. */
export const explainedTypes: Readonly<Record<Explained, ResourceType>> = {
  pods,
  nodes,
  deployments,
  statefulsets: statefulSets,
  daemonsets: daemonSets,
  cronjobs: cronJobs,
  jobs,
  replicasets: replicaSets,
  replicationcontrollers: replicationControllers,
  horizontalpodautoscalers: horizontalPodAutoscalers,
  services,
  persistentvolumeclaims: persistentVolumeClaims,
  volumesnapshots: volumeSnapshots,
  poddisruptionbudgets: podDisruptionBudgets,
  namespaces,
};

/** The kinds that "workload NAME" searches, in this order. */
export const kindsOfWorkloads: readonly Explained[] = [
  "deployments",
  "statefulsets",
  "daemonsets",
  "cronjobs",
  "jobs",
  "replicasets",
  "replicationcontrollers",
];

export interface ExplainTarget {
  /** One kind, or all kinds of workloads. */
  readonly kinds: readonly Explained[];
  readonly name: string;
}

/**
 * Reads "pod web-0", "deploy/web" or "workload web".
 * @throws NotExplainable for a kind that cannot be explained.
 */
export function parseExplainTarget([first = "", second, ...others]: readonly string[]): ExplainTarget {
  const [word = "", inFirst, ...rest] = first.split("/");
  const name = second ?? inFirst;
  if (
    name === undefined ||
    name === "" ||
    rest.length > 0 ||
    others.length > 0 ||
    (second !== undefined && inFirst !== undefined)
  ) {
    throw new NotExplainable(
      `write the kind and the name: \`kintsugi explain pod NAME\` or \`kintsugi explain deployment/NAME\``,
    );
  }
  if (name.includes("/")) throw new NotExplainable(`"${name}" is not a name; set the namespace with -n`);
  if (word.toLowerCase() === "workload") return { kinds: kindsOfWorkloads, name };
  const kind = (Object.keys(explainedTypes) as Explained[]).find((each) => isCalled(explainedTypes[each], word));
  if (kind !== undefined) return { kinds: [kind], name };
  const known = Object.values(explainedTypes).map(({ singular }) => singular);
  throw new NotExplainable(`"${word}" cannot be explained; these kinds can: workload, ${known.join(", ")}`);
}

function isCalled(type: ResourceType<ApiObject>, word: string): boolean {
  const text = word.toLowerCase();
  return [type.resource, type.singular, type.kind.toLowerCase(), ...type.shortNames].includes(text);
}
