import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, atomicMap, map, quantity, text } from "../../../schema/types.ts";
import { Toleration } from "../../core/pod/spec/scheduling.ts";

export const Overhead = object(
  "io.k8s.api.node.v1.Overhead",
  "The overhead is what a runtime needs for a pod besides its containers.",
  () => ({
    podFixed: field(1, map(quantity), "Every pod of the class needs these resources in addition."),
  }),
);

export const Scheduling = object(
  "io.k8s.api.node.v1.Scheduling",
  "The scheduling rules say on which nodes pods of the class may run.",
  () => ({
    nodeSelector: field(1, atomicMap(text), "Pods run only on nodes that have all of these labels, besides their own."),
    tolerations: field(2, atomicList(Toleration), "Pods get these tolerations in addition to their own."),
  }),
);

export const RuntimeClass = kind(
  "io.k8s.api.node.v1.RuntimeClass",
  "A RuntimeClass names a handler of container runtimes, with which its pods run.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    handler: required(
      2,
      text,
      "Container runtimes know the handler by this name, which is a DNS label and cannot be changed.",
    ),
    overhead: field(3, Overhead, "Pods of the class need these resources in addition."),
    scheduling: field(4, Scheduling, "Pods of the class run only on nodes with the handler; all nodes when unset."),
  }),
);
export type RuntimeClass = z.infer<typeof RuntimeClass>;
