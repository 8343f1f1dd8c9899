import { claimSpecWarnings } from "../../core/pod/warnings/volume-warnings.ts";
import { isOldSpec, templateWarnings } from "../workload-warnings.ts";
import type { StatefulSet } from "./stateful-set.ts";

const unlimited =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";

/** Returns upstream's warnings about a StatefulSet, its template and its claims. */
export function statefulSetWarnings(set: StatefulSet, before: StatefulSet | undefined): string[] {
  const claims = isOldSpec(set, before) ? [] : (set.spec?.volumeClaimTemplates ?? []);
  // Upstream writes the path of an update like this.
  const end = before === undefined ? "" : ".Spec";
  return [
    ...templateWarnings(set, before),
    ...claims.flatMap(({ spec }, i) => claimSpecWarnings(spec, `spec.volumeClaimTemplates[${i}]${end}`)),
    ...((set.spec?.revisionHistoryLimit ?? 0) < 0 ? [unlimited] : []),
  ];
}
