import { nodes } from "@kintsugi/api";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { podGcOptions } from "./options.ts";
import { PodCollector } from "./pod-collector.ts";
import { podGcRole } from "@kintsugi/rules";

/** Removes pods that kubelets and other controllers never remove, once per period. */
export const podGc = defineController({
  name: "pod-garbage-collector",
  options: podGcOptions,
  roles: [podGcRole],
  reads: [nodes, indexedPods],
  create(context) {
    const collector = new PodCollector(context);
    return {
      periodic: {
        periodMs: context.options.podGcPeriodMs,
        work: (signal) =>
          collector.collect(signal).catch((error: unknown) => {
            if (!signal.aborted) context.log.error("pod garbage collection failed", { error });
          }),
      },
    };
  },
});
