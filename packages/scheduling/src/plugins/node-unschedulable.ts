import { type Node, type Taint, tolerates } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Plugin } from "../framework/plugin.ts";
import { fits, neverFits } from "../framework/verdict.ts";

/** Cordoned nodes accept only pods that tolerate the taint that represents cordoning. */
export const nodeUnschedulable: Plugin = {
  name: "NodeUnschedulable",
  filterReads: "node",
  filter: (pod) => {
    if (toleratesCordon(pod)) return "anything";
    return {
      check: ({ isCordoned: is }) => (is ? neverFits({ code: "Unschedulable" }) : fits),
      rejectRows: ({ cordon: { cordoned } }, rejected) => rejected.addZeros(cordoned, [1, 0]),
    };
  },
  mayHelp: (_, event) =>
    (event.is === "NodeAdd" && !isCordoned(event.node)) ||
    (event.is === "NodeUpdate" && event.changed.cordon && !isCordoned(event.node)),
};

const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

function isCordoned(node: Node | undefined): boolean {
  return node?.spec?.unschedulable === true;
}

function toleratesCordon({ pod }: PodInfo): boolean {
  return (pod.spec?.tolerations ?? []).some((toleration) => tolerates(toleration, cordon));
}
