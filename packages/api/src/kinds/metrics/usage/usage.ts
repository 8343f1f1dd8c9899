import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, object, required } from "../../../schema/fields.ts";
import { list, map, quantity, text, time } from "../../../schema/types.ts";

const measured = {
  timestamp: required(2, time, "The usage was measured in the window that ends at this time."),
  window: required(3, text, "The usage of processors is averaged over a window of this length, such as 15s."),
};

export const NodeMetrics = kind(
  "io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics",
  "NodeMetrics reports the resources that a node uses.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    ...measured,
    usage: required(4, map(quantity), "The node uses these amounts of cpu and memory; memory is the working set."),
  }),
);
export type NodeMetrics = z.infer<typeof NodeMetrics>;

export const ContainerMetrics = object(
  "io.k8s.metrics.pkg.apis.metrics.v1beta1.ContainerMetrics",
  "ContainerMetrics reports the resources that a container uses.",
  () => ({
    name: required(1, text, "The metrics are those of the container with this name."),
    usage: required(2, map(quantity), "The container uses these amounts of cpu and memory; memory is the working set."),
  }),
);
export type ContainerMetrics = z.infer<typeof ContainerMetrics>;

export const PodMetrics = kind(
  "io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics",
  "PodMetrics reports the resources that the containers of a pod use.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    ...measured,
    containers: required(4, list(ContainerMetrics), "Each entry reports the usage of one running container."),
  }),
);
export type PodMetrics = z.infer<typeof PodMetrics>;
