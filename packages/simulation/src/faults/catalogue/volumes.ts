import { bytesQuantity, memoryBytes, persistentVolumeClaims } from "@kintsugi/api";
import { type Fault, namespace, pick, struck } from "../fault.ts";

/** The steps in which users grow their claims. */
const stepBytes = 64 * 1024 ** 2;

/** The actions of a user on volumes. */
export const volumeFaults: readonly Fault[] = [
  {
    name: "grow-claim",
    catalogue: [],
    sentence: "A user requests 64Mi more for a claim that is bound.",
    target: "none",
    lasts: false,
    drawnApart: true,
    byUsers: true,
    isPossible: ({ workloads }) => workloads.some(({ claims }) => claims),
    inject: async ({ cluster, random }) => {
      const { items } = await cluster.client.list(persistentVolumeClaims, { namespace });
      const claim = pick(
        random,
        items.filter(({ status }) => status?.phase === "Bound"),
      );
      if (claim === undefined) return undefined;
      const storage = bytesQuantity(memoryBytes(claim.spec?.resources?.requests?.["storage"]) + stepBytes);
      const body = { spec: { resources: { requests: { storage } } } };
      const key = { namespace, name: claim.metadata.name ?? "" };
      await cluster.client.patch(persistentVolumeClaims, key, { type: "merge", body });
      return struck;
    },
  },
];
