import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { PodSpec } from "./spec/pod-spec.ts";
import { PodStatus } from "./status/pod-status.ts";

export const Pod = kind(
  "io.k8s.api.core.v1.Pod",
  "A Pod is a group of containers that run together on one node and share an IP address.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, PodSpec, "Desired state of the pod."),
    status: field(3, PodStatus, "Observed state of the pod, which may be slightly out of date."),
  }),
);
export type Pod = z.infer<typeof Pod>;
