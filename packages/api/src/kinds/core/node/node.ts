import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { NodeSpec } from "./node-spec.ts";
import { NodeStatus } from "./node-status.ts";

/** Label of a node with the name of its region; a zone is unique only within its region. */
export const regionLabel = "topology.kubernetes.io/region";

export const Node = kind("io.k8s.api.core.v1.Node", "A Node is a machine of the cluster that runs pods.", () => ({
  metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
  spec: field(2, NodeSpec, "Desired state of the node."),
  status: field(3, NodeStatus, "Observed state of the node."),
}));
export type Node = z.infer<typeof Node>;
