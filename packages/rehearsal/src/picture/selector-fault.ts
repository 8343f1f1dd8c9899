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

const selecting: ReadonlySet<string> = new Set(["deployments", "replicasets", "statefulsets", "daemonsets", "jobs"]);

/**
 * Returns the reason why no API server accepts a workload. Its controller never finds the pods that
 * it creates, and creates pods forever.
 */
export function selectorFault(resource: string, object: ApiObject): string | undefined {
  if (!selecting.has(resource)) return undefined;
  const { selector, template } = (object as Selecting).spec ?? {};
  // The API server generates the selector of a Job.
  if (resource === jobs.resource && (object as Job).spec?.manualSelector !== true && selector === undefined)
    return undefined;
  if (selector !== undefined && matchesLabels(toSelector(selector), template?.metadata?.labels)) return undefined;
  return "its selector does not match the labels of its template, which no API server accepts: make them equal";
}
