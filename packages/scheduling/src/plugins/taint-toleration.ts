import { findUntoleratedTaint, type Taint, type Toleration, tolerates } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import { type Plugin, stretch } from "../framework/plugin.ts";
import { fits, neverFits } from "../framework/verdict.ts";

/**
 * Taints NoSchedule and NoExecute repel pods that do not tolerate them; PreferNoSchedule lowers a
 * node's score.
 */
export const taintToleration: Plugin = {
  name: "TaintToleration",
  filterReads: "node",
  filter: (pod) => ({
    check: (node) => {
      const taint = repellingTaint(pod, node.taints);
      if (taint === undefined) return fits;
      return neverFits({ code: "UntoleratedTaint", key: taint.key, value: taint.value ?? "" });
    },
    rejectRows: ({ taints }, rejected) => {
      if (taints.limit === 1) return;
      const tolerated = taints.setsThat((set) => repellingTaint(pod, set) === undefined);
      rejected.addZeros(taints.numbers, tolerated);
    },
  }),
  score: {
    weight: 3,
    prepare: (pod, { columns }, feasible) => {
      // The table includes sets that are no longer used by a node.
      if (columns !== undefined && !columns.taints.setsThat((set) => set.some(isPreference)).includes(1))
        return "indifferent";
      if (!feasible.some(({ taints }) => taints.some(isPreference))) {
        return "indifferent";
      }
      const tolerations = (pod.pod.spec?.tolerations ?? []).filter(concernsPreference);
      const dislike = (taints: readonly Taint[]) => taints.filter((taint) => isDisliked(taint, tolerations)).length;
      return {
        score: ({ taints }) => dislike(taints),
        scoreRows: ({ taints }, rows, scores) => {
          const ofSet = Array.from({ length: taints.limit }, (_, set) => dislike(taints.taintsOf(set)));
          for (let i = 0; i < rows.length; i++)
            scores[i] = ofSet[taints.numbers[rows[i] as number] as number] as number;
        },
        rescale: (scores) => stretch(scores, true),
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

function isPreference({ effect }: Taint): boolean {
  return effect === "PreferNoSchedule";
}

function concernsPreference({ effect }: Toleration): boolean {
  return !effect || effect === "PreferNoSchedule";
}

function isDisliked(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return taint.effect === "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint));
}
