import {
  type ApiObject,
  type Job,
  jobs,
  type LabelSelector,
  matchesLabels,
  type PodTemplateSpec,
  toSelector,
} from "@kintsugi/api";

type Selecting = ApiObject & {
  readonly spec?: { readonly selector?: LabelSelector | undefined; readonly template?: PodTemplateSpec | undefined };
};

/** Fields that hold a number of pods. */
const podCounts = ["replicas", "parallelism", "completions"] as const;

const selecting: ReadonlySet<string> = new Set(["deployments", "replicasets", "statefulsets", "daemonsets", "jobs"]);

/** Returns the reason why no API server accepts a workload; undefined for a valid workload. */
export function workloadFault(resource: string, object: ApiObject): string | undefined {
  return negativeCount(object) ?? selectorFault(resource, object);
}

function negativeCount(object: ApiObject): string | undefined {
  const { spec = {} } = object as ApiObject & { readonly spec?: Readonly<Record<string, unknown>> };
  const field = podCounts.find((name) => typeof spec[name] === "number" && spec[name] < 0);
  if (field === undefined) return undefined;
  return `its spec.${field} is ${String(spec[field])}, which no API server accepts: write 0 or more`;
}

/**
 * The controller of a workload with such a selector never finds the pods that it creates, and
 * creates pods forever.
 */
function selectorFault(resource: string, object: ApiObject): string | undefined {
  if (!selecting.has(resource)) return undefined;
  const { selector, template } = (object as Selecting).spec ?? {};
  // The API server generates the selector of a Job.
  if (resource === jobs.resource && (object as Job).spec?.manualSelector !== true && selector === undefined)
    return undefined;
  if (selector !== undefined && matchesLabels(toSelector(selector), template?.metadata?.labels)) return undefined;
  return "its selector does not match the labels of its template, which no API server accepts: make them equal";
}
