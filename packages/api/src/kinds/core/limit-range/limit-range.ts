import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, map, quantity, text } from "../../../schema/types.ts";

export const LimitRangeItem = object(
  "io.k8s.api.core.v1.LimitRangeItem",
  "LimitRangeItem limits the resources of each pod, container or claim in the namespace.",
  () => ({
    type: required(1, text, "Type of the limited objects: Pod, Container or PersistentVolumeClaim."),
    max: field(2, map(quantity), "Upper bound of limits and requests, by resource."),
    min: field(3, map(quantity), "Lower bound of limits and requests, by resource."),
    default: field(
      4,
      map(quantity),
      "Default limits for containers that do not specify a limit, by resource. Defaults to max.",
    ),
    defaultRequest: field(
      5,
      map(quantity),
      "Default requests for containers that do not specify a request, by resource. Defaults to the default limit, or to min if there is no default limit.",
    ),
    maxLimitRequestRatio: field(
      6,
      map(quantity),
      "Maximum ratio of limit to request, by resource. Both the limit and the request of the resource must be specified.",
    ),
  }),
);
export type LimitRangeItem = z.infer<typeof LimitRangeItem>;

export const LimitRangeSpec = object(
  "io.k8s.api.core.v1.LimitRangeSpec",
  "Limits on the resources of individual objects.",
  () => ({
    limits: required(1, atomicList(LimitRangeItem), "Limits, each for one type of object."),
  }),
);
export type LimitRangeSpec = z.infer<typeof LimitRangeSpec>;

export const LimitRange = kind(
  "io.k8s.api.core.v1.LimitRange",
  "A LimitRange sets defaults and limits for the resources of each pod, container and claim in its namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, LimitRangeSpec, "Limits that apply in the namespace."),
  }),
);
export type LimitRange = z.infer<typeof LimitRange>;
