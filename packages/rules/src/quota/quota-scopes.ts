import { type PersistentVolumeClaim, type Pod, podQosClass, type ResourceQuotaSpec } from "@kintsugi/api";
import { attributesClassesOf } from "../volumes/claim-modification.ts";

/** The values by scope; an object without the scope does not match it. */
export type QuotaScopes = ReadonlyMap<string, readonly string[]>;

export const noScopes: QuotaScopes = new Map();

/** Reports whether an object with these traits counts toward the quota. */
export function isInScope(
  { scopes = [], scopeSelector }: ResourceQuotaSpec,
  usage: { readonly scopes: QuotaScopes },
): boolean {
  return (
    scopes.every((scope) => usage.scopes.has(scope)) &&
    (scopeSelector?.matchExpressions ?? []).every(({ scopeName, operator, values = [] }) => {
      const own = usage.scopes.get(scopeName);
      switch (operator) {
        case "Exists":
          return own !== undefined;
        case "DoesNotExist":
          return takesValues.has(scopeName) && own === undefined;
        case "In":
          return own?.some((value) => values.includes(value)) ?? false;
        case "NotIn":
          return takesValues.has(scopeName) && (own === undefined || own.some((value) => !values.includes(value)));
        default:
          return false;
      }
    })
  );
}

/** Only these scopes have values, so only these can be compared with values. */
const takesValues = new Set(["PriorityClass", "VolumeAttributesClass"]);

/** The scopes to which a pod belongs. */
export function podScopes(pod: Pod): QuotaScopes {
  const { activeDeadlineSeconds, priorityClassName = "", affinity } = pod.spec ?? {};
  const scopes = new Map<string, readonly string[]>();
  scopes.set((activeDeadlineSeconds ?? -1) >= 0 ? "Terminating" : "NotTerminating", []);
  scopes.set(podQosClass(pod) === "BestEffort" ? "BestEffort" : "NotBestEffort", []);
  if (priorityClassName !== "") scopes.set("PriorityClass", [priorityClassName]);
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((each) => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  const crosses = terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
  if (crosses) scopes.set("CrossNamespacePodAffinity", []);
  return scopes;
}

/** The scopes to which a claim belongs. */
export function claimScopes(claim: PersistentVolumeClaim): QuotaScopes {
  const classes = attributesClassesOf(claim);
  return classes.length === 0 ? noScopes : new Map([["VolumeAttributesClass", classes]]);
}
