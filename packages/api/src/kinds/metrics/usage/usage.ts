import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, object, required } from "../../../schema/fields.ts";
import { list, map, quantity, text, time } from "../../../schema/types.ts";

const measured = {
  timestamp: required(2, time, "When it was measured: the end of the window."),
  window: required(3, text, "Over how long the processor time was averaged, such as 15s."),
};

export const NodeMetrics = kind("io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics", "What a node uses.", () => ({
  metadata: always(1, ObjectMeta),
  ...measured,
  usage: required(4, map(quantity), "cpu and memory; memory is the working set."),
}));
export type NodeMetrics = z.infer<typeof NodeMetrics>;

export const ContainerMetrics = object(
  "io.k8s.metrics.pkg.apis.metrics.v1beta1.ContainerMetrics",
  "What a container uses.",
  () => ({
    name: required(1, text, "The container's name in its pod's spec."),
    usage: required(2, map(quantity), "cpu and memory; memory is the working set."),
  }),
);
export type ContainerMetrics = z.infer<typeof ContainerMetrics>;

export const PodMetrics = kind(
  "io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics",
  "What a pod's containers use.",
  () => ({
    metadata: always(1, ObjectMeta),
    ...measured,
    containers: required(4, list(ContainerMetrics), "All that run."),
  }),
);
export type PodMetrics = z.infer<typeof PodMetrics>;
