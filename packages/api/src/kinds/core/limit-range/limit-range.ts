import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, map, quantity, text } from "../../../schema/types.ts";

export const LimitRangeItem = object(
  "io.k8s.api.core.v1.LimitRangeItem",
  "An item constrains the resources of every pod, container or claim of the namespace.",
  () => ({
    type: required(1, text, "The item applies to objects of this type: Pod, Container or PersistentVolumeClaim."),
    max: field(2, map(quantity), "A limit, and a request where there is one, may be at most this amount."),
    min: field(3, map(quantity), "A request, and a limit where there is one, must be at least this amount."),
    default: field(
      4,
      map(quantity),
      "A container that states no limit of a resource gets this limit; the default is max.",
    ),
    defaultRequest: field(
      5,
      map(quantity),
      "A container that states no request of a resource gets this request; the default is the default limit, else min.",
    ),
    maxLimitRequestRatio: field(
      6,
      map(quantity),
      "A limit divided by the request of the same resource may be at most this number; both must then be stated.",
    ),
  }),
);
export type LimitRangeItem = z.infer<typeof LimitRangeItem>;

export const LimitRangeSpec = object(
  "io.k8s.api.core.v1.LimitRangeSpec",
  "The spec lists constraints of the resources of single objects.",
  () => ({
    limits: required(1, atomicList(LimitRangeItem), "Each item constrains one type of object."),
  }),
);
export type LimitRangeSpec = z.infer<typeof LimitRangeSpec>;

export const LimitRange = kind(
  "io.k8s.api.core.v1.LimitRange",
  "A LimitRange sets defaults and bounds of the resources of each pod, container and claim in its namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, LimitRangeSpec, "The spec lists the constraints."),
  }),
);
export type LimitRange = z.infer<typeof LimitRange>;
