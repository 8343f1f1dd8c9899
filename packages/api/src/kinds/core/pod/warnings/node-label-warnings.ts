import { checkLabelValue } from "../../../../values/names.ts";
import type { NodeSelectorTerm } from "../spec/affinity.ts";
import type { PodSpec } from "../spec/pod-spec.ts";

/**
 * Node labels that were renamed, with the version of the change, as in upstream's
 * pkg/api/node/util.go.
 */
const deprecatedNodeLabels: Readonly<Record<string, string | undefined>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

function deprecationOf(key: string): string | undefined {
  return Object.hasOwn(deprecatedNodeLabels, key) ? deprecatedNodeLabels[key] : undefined;
}

/** Returns the warnings about node labels that select a pod's node. */
export function nodeLabelWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const deprecation = deprecationOf(key);
    if (deprecation !== undefined) warnings.push(`${path}.nodeSelector[${key}]: ${deprecation}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const requiredPath = `${path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  required.forEach((term, i) => warnings.push(...termWarnings(term, `${requiredPath}[${i}]`)));
  const preferredPath = `${path}.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution`;
  affinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ preference }, i) => {
    const at = `${preferredPath}[${i}].preference`;
    warnings.push(...termWarnings(preference, at), ...valueWarnings(preference, at));
  });
  spec.topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, i) => {
    const at = `${path}.topologySpreadConstraints[${i}]`;
    const deprecation = deprecationOf(topologyKey);
    if (deprecation !== undefined) warnings.push(`${at}.topologyKey: ${topologyKey} is ${deprecation}`);
    if (labelSelector === undefined) warnings.push(matchesNothing(`${at}.labelSelector`));
  });
  return warnings;
}

function termWarnings({ matchExpressions = [] }: NodeSelectorTerm, path: string): string[] {
  return matchExpressions.flatMap(({ key }, i) => {
    const deprecation = deprecationOf(key);
    return deprecation === undefined ? [] : [`${path}.matchExpressions[${i}].key: ${key} is ${deprecation}`];
  });
}

/**
 * Values that a label cannot have are rejected in required terms, and cause only a warning in
 * preferred terms.
 */
function valueWarnings({ matchExpressions = [] }: NodeSelectorTerm, path: string): string[] {
  return matchExpressions.flatMap(({ values = [] }, i) =>
    values.flatMap((value, j) =>
      checkLabelValue(value).map(
        (problem) => `${path}.matchExpressions[${i}].values[${j}]: ${value} is invalid, ${problem}`,
      ),
    ),
  );
}

/** Returns the warnings about pod affinity terms that select no pods. */
export function podAffinityWarnings({ affinity }: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const name of ["podAffinity", "podAntiAffinity"] as const) {
    const at = `${path}.affinity.${name}`;
    affinity?.[name]?.requiredDuringSchedulingIgnoredDuringExecution?.forEach(({ labelSelector }, i) => {
      const field = `${at}.requiredDuringSchedulingIgnoredDuringExecution[${i}].labelSelector`;
      if (labelSelector === undefined) warnings.push(matchesNothing(field));
    });
    affinity?.[name]?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ podAffinityTerm }, i) => {
      const field = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm.labelSelector`;
      if (podAffinityTerm.labelSelector === undefined) warnings.push(matchesNothing(field));
    });
  }
  return warnings;
}

function matchesNothing(path: string): string {
  return `${path}: a null labelSelector results in matching no pod`;
}
