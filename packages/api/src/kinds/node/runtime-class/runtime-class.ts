import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, atomicMap, map, quantity, text } from "../../../schema/types.ts";
import { Toleration } from "../../core/pod/spec/scheduling.ts";

export const Overhead = object(
  "io.k8s.api.node.v1.Overhead",
  "Overhead lists the resources that a pod needs in addition to its containers' resources.",
  () => ({
    podFixed: field(
      1,
      map(quantity),
      "Resources that every pod of the class needs in addition to its containers' resources.",
    ),
  }),
);

export const Scheduling = object(
  "io.k8s.api.node.v1.Scheduling",
  "Scheduling restricts the nodes for pods of the class.",
  () => ({
    nodeSelector: field(
      1,
      atomicMap(text),
      "Labels that a node must have, in addition to the labels of the pod's nodeSelector.",
    ),
    tolerations: field(2, atomicList(Toleration), "Tolerations that are added to the pod's tolerations."),
  }),
);

export const RuntimeClass = kind(
  "io.k8s.api.node.v1.RuntimeClass",
  "A RuntimeClass names a handler of the container runtime that runs the pods of the class.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    handler: required(2, text, "Name of the handler in the container runtime, a DNS label. Immutable."),
    overhead: field(3, Overhead, "Resources that pods of the class need in addition to their containers' resources."),
    scheduling: field(
      4,
      Scheduling,
      "Restrictions on the nodes for pods of the class. If unset, all nodes are allowed.",
    ),
  }),
);
export type RuntimeClass = z.infer<typeof RuntimeClass>;
