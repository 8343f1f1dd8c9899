import { resourceSlices } from "@kintsugi/api";
import { type Fault, pick, alreadyOver } from "../fault.ts";

export const deviceFaults: readonly Fault[] = [
  {
    name: "break-device",
    catalogue: [],
    sentence: "A device fails, and its driver taints it with NoExecute until the kubelet of its node restarts.",
    target: "none",
    lasts: false,
    drawnApart: true,
    isPossible: ({ workloads }) => workloads.some(({ devices }) => devices),
    inject: async ({ cluster, random }) => {
      const { items } = await cluster.client.list(resourceSlices);
      const slice = pick(random, items);
      const broken = pick(random, slice?.spec.devices ?? []);
      if (slice === undefined || broken === undefined) return undefined;
      const taints = [{ key: "devices.kintsugi.dev/broken", effect: "NoExecute" }];
      const devices = (slice.spec.devices ?? []).map((device) => (device === broken ? { ...device, taints } : device));
      const pool = { ...slice.spec.pool, generation: slice.spec.pool.generation + 1 };
      await cluster.client.update(resourceSlices, { ...slice, spec: { ...slice.spec, pool, devices } });
      return alreadyOver;
    },
  },
];
