import type { NodeColumns } from "../cluster-state/columns/node-columns.ts";
import { findUntoleratedTaint, type Taint, type Toleration, tolerates } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import { type Plugin, stretched } from "../framework/plugin.ts";
import { fits, neverFits } from "../framework/verdict.ts";

/**
 * Taints NoSchedule and NoExecute keep pods away that do not tolerate them; PreferNoSchedule makes
 * a node worse.
 */
export const taintToleration: Plugin = {
  name: "TaintToleration",
  filter: (pod) => ({
    check: (node) => {
      const taint = repellingTaint(pod, node.taints);
      if (taint === undefined) return fits;
      return neverFits(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`);
    },
    fitsRow: (columns) => {
      const { taintSet } = columns;
      // Judged once for each set that a node has: 1 is tolerated, 2 is not.
      const verdicts = new Uint8Array(columns.taintSetCount);
      return (row) => {
        const set = taintSet[row] ?? 0;
        if (verdicts[set] === 0) verdicts[set] = repellingTaint(pod, columns.taintsOf(set)) === undefined ? 1 : 2;
        return verdicts[set] === 1;
      };
    },
  }),
  score: {
    weight: 3,
    prepare: (pod, { columns }, feasible) => {
      if (columns !== undefined && !hasPreferences(columns)) return "indifferent";
      if (!feasible.some(({ taints }) => taints.some(isPreference))) {
        return "indifferent";
      }
      const tolerations = (pod.pod.spec?.tolerations ?? []).filter(concernsPreference);
      return {
        score: ({ taints }) => taints.filter((taint) => isDisliked(taint, tolerations)).length,
        rescale: (scores) => stretched(scores, true),
      };
    },
  },
  mayHelp: (pod, event) => {
    if (event.is === "NodeAdd") return repellingTaint(pod, event.node.spec?.taints ?? []) === undefined;
    if (event.is !== "NodeUpdate" || !event.changed.taints) return false;
    return (
      repellingTaint(pod, event.before.spec?.taints ?? []) !== undefined &&
      repellingTaint(pod, event.node.spec?.taints ?? []) === undefined
    );
  },
};

function repellingTaint({ pod }: PodInfo, taints: readonly Taint[]): Taint | undefined {
  if (taints.length === 0) return undefined;
  return findUntoleratedTaint(
    taints.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute"),
    pod.spec?.tolerations,
  );
}

/** Reports whether any set of taints that nodes have, or had, asks pods to stay away. */
function hasPreferences(columns: NodeColumns): boolean {
  for (let set = 1; set < columns.taintSetCount; set++) if (columns.taintsOf(set).some(isPreference)) return true;
  return false;
}

function isPreference({ effect }: Taint): boolean {
  return effect === "PreferNoSchedule";
}

function concernsPreference({ effect }: Toleration): boolean {
  return !effect || effect === "PreferNoSchedule";
}

function isDisliked(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return taint.effect === "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint));
}
