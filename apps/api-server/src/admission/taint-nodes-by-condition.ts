import { nodes } from "@kintsugi/api";
import { type AdmissionStep, createdObject } from "./admission.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

/**
 * A new node is not ready, so that nothing is scheduled there before its controller has read its
 * conditions.
 */
export const taintNodesByCondition: AdmissionStep = {
  name: "TaintNodesByCondition",
  handles: { operations: ["create"], resources: [nodes], subresources: [""] },
  mutate: (request) => {
    const node = createdObject(request, nodes);
    if (node === undefined) return;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { ...notReady }] };
  },
};
