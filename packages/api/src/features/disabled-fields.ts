import { type EnabledFeature, isFeatureOn } from "./features.ts";
import { featureTable } from "./feature-table.ts";

/** The paths of fields that are dropped on writes, by kind. */
type DisabledFields = ReadonlyMap<string, readonly string[]>;

/** The path of the pod spec in each kind that has a pod spec. */
const podSpecs: Readonly<Record<string, string>> = {
  Pod: "spec",
  PodTemplate: "template.spec",
  ReplicationController: "spec.template.spec",
  ReplicaSet: "spec.template.spec",
  Deployment: "spec.template.spec",
  StatefulSet: "spec.template.spec",
  DaemonSet: "spec.template.spec",
  Job: "spec.template.spec",
  CronJob: "spec.jobTemplate.spec.template.spec",
};

/** Lists the fields of all features that are off. */
export function disabledFields(features: readonly EnabledFeature[]): DisabledFields {
  const disabled = new Map<string, string[]>();
  const add = (kind: string, paths: readonly string[]) => disabled.set(kind, [...(disabled.get(kind) ?? []), ...paths]);
  for (const [name, { fields = {} }] of Object.entries(featureTable)) {
    if (isFeatureOn(features, name)) continue;
    for (const [kind, paths] of Object.entries(fields)) {
      if (kind !== "PodSpec") add(kind, paths);
      else
        for (const [owner, place] of Object.entries(podSpecs))
          add(
            owner,
            paths.map((path) => `${place}.${path}`),
          );
    }
  }
  return disabled;
}

/**
 * Removes disabled fields of an object, in place. A field that the stored object uses already is
 * preserved, so that disabling a feature does not affect objects that use it.
 */
export function dropDisabledFields(paths: readonly string[], object: object, before?: object): void {
  for (const path of paths) {
    const steps = path.split(".");
    if (before !== undefined && holders(before, steps).length > 0) continue;
    const last = steps.at(-1) ?? "";
    for (const holder of holders(object, steps)) delete holder[last];
  }
}

type Fields = Record<string, unknown>;

/** Returns the objects that have the last field of a path. */
function holders(object: object, steps: readonly string[]): Fields[] {
  let found: Fields[] = [object as Fields];
  for (const step of steps.slice(0, -1)) {
    const name = step.replace("[]", "");
    found = found.flatMap((each) => {
      const value = each[name];
      const next: unknown[] = step.endsWith("[]") ? (Array.isArray(value) ? value : []) : [value];
      return next.filter((child): child is Fields => typeof child === "object" && child !== null);
    });
  }
  const last = steps.at(-1) ?? "";
  return found.filter((each) => each[last] !== undefined);
}
