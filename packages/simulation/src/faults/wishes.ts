import { pods, replicaSets } from "@kintsugi/api";
import { type Fault, namespace, pick, setting, struck } from "./fault.ts";

/** What somebody with `kubectl` does meanwhile. */
export const wishFaults: readonly Fault[] = [
  {
    name: "delete-pod",
    catalogue: ["F27"],
    sentence: "Somebody deletes a pod.",
    target: "none",
    lasts: false,
    inject: async ({ cluster, random }) => {
      const { items } = await cluster.client.list(pods, { namespace });
      const name = pick(random, items)?.metadata.name;
      if (name === undefined) return undefined;
      await cluster.client.delete(pods, { namespace, name });
      return struck;
    },
  },
  {
    name: "scale",
    catalogue: [],
    sentence: "Somebody scales a workload.",
    target: "workload",
    lasts: false,
    draw: (random) => ({ replicas: 1 + random.integer(12) }),
    inject: async ({ cluster, random, scenario }, planned) => {
      const name = planned.target ?? pick(random, scenario.workloads)?.name;
      if (name === undefined) return undefined;
      const replicas = setting(planned, "replicas", 1);
      await cluster.client.patch(replicaSets, { namespace, name }, { type: "merge", body: { spec: { replicas } } });
      return struck;
    },
  },
];
