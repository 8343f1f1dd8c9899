import { type Node, type Pod, osLabel } from "@kintsugi/api";
import type { Plugin } from "../framework/plugin.ts";
import { fits, neverFits } from "../framework/verdict.ts";

const anotherSystem = neverFits({ code: "NodeOs" });

/**
 * This project's plugin: a pod that names its operating system (`spec.os`) never runs on another
 * operating system. Admission does not require fields that the named system lacks, so the pod would
 * run on another system with more rights than its namespace allows; upstream leaves the rejection
 * to the kubelet. For a node that has not reported its system, the kubelet decides.
 */
export const nodeOs: Plugin = {
  name: "NodeOS",
  filterReads: "node",
  filter: ({ pod }) => {
    const wanted = pod.spec?.os?.name;
    if (wanted === undefined) return "anything";
    return {
      check: (node) => (suits(pod, node.labels) ? fits : anotherSystem),
      rejectRows: (columns, rejected) => {
        const column = columns.label(osLabel);
        const allowed = new Uint8Array(column.limit);
        allowed[column.numberOf(wanted)] = 1;
        allowed[0] = 1;
        rejected.addZeros(column.numbers, allowed);
      },
    };
  },
  mayHelp: ({ pod }, event) => {
    if (event.is === "NodeAdd") return suits(pod, labelsOf(event.node));
    if (event.is !== "NodeUpdate" || !event.changed.labels) return false;
    return !suits(pod, labelsOf(event.before)) && suits(pod, labelsOf(event.node));
  },
};

function suits({ spec }: Pod, labels: Readonly<Record<string, string>>): boolean {
  const system = labels[osLabel];
  return system === undefined || spec?.os === undefined || system === spec.os.name;
}

function labelsOf({ metadata }: Node): Readonly<Record<string, string>> {
  return metadata.labels ?? {};
}
