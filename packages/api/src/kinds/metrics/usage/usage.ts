import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, object, required } from "../../../schema/fields.ts";
import { duration, list, map, quantity, text, time } from "../../../schema/types.ts";

const measured = {
  timestamp: required(2, time, "End of the window in which the usage was measured."),
  window: required(3, duration, "Length of the window over which CPU usage is averaged, such as 15s."),
};

const metadata = () => always(1, ObjectMeta, "Metadata of the object, whose name is the name of the node or pod.");
const nodeFields = () => ({
  metadata: metadata(),
  ...measured,
  usage: required(4, map(quantity), "Usage of the node for cpu and memory. Memory usage is the working set."),
});
const nodeText = "NodeMetrics reports the resources that a node uses.";

export const NodeMetrics = kind("io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics", nodeText, nodeFields);
export type NodeMetrics = z.infer<typeof NodeMetrics>;

/** `NodeMetrics` in metrics.k8s.io/v1. */
export const NodeMetricsV1 = kind("io.k8s.metrics.pkg.apis.metrics.v1.NodeMetrics", nodeText, nodeFields);

const containerFields = () => ({
  name: required(1, text, "Name of the container."),
  usage: required(2, map(quantity), "Usage of the container for cpu and memory. Memory usage is the working set."),
});
const containerText = "ContainerMetrics reports the resources that a container uses.";

export const ContainerMetrics = object(
  "io.k8s.metrics.pkg.apis.metrics.v1beta1.ContainerMetrics",
  containerText,
  containerFields,
);
export type ContainerMetrics = z.infer<typeof ContainerMetrics>;

const ContainerMetricsV1 = object(
  "io.k8s.metrics.pkg.apis.metrics.v1.ContainerMetrics",
  containerText,
  containerFields,
);

const podText = "PodMetrics reports the resources that the containers of a pod use.";
const containersText = "Usage of each running container.";

export const PodMetrics = kind("io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics", podText, () => ({
  metadata: metadata(),
  ...measured,
  containers: required(4, list(ContainerMetrics), containersText),
}));
export type PodMetrics = z.infer<typeof PodMetrics>;

/** `PodMetrics` in metrics.k8s.io/v1. */
export const PodMetricsV1 = kind("io.k8s.metrics.pkg.apis.metrics.v1.PodMetrics", podText, () => ({
  metadata: metadata(),
  ...measured,
  containers: required(4, list(ContainerMetricsV1), containersText),
}));
