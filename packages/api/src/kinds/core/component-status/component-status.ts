import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { keyedList, text } from "../../../schema/types.ts";

export const ComponentCondition = object(
  "io.k8s.api.core.v1.ComponentCondition",
  "The condition shows whether a component is healthy.",
  () => ({
    type: required(1, text, "The condition is of this type, which is always Healthy."),
    status: required(2, text, "The component is healthy if this is True, and not if it is False."),
    message: field(3, text, "The component reports this about itself."),
    error: field(4, text, "The component is not healthy for this reason."),
  }),
);

export const ComponentStatus = kind(
  "io.k8s.api.core.v1.ComponentStatus",
  "A ComponentStatus shows the health of a part of the control plane; the kind is deprecated since Kubernetes 1.19.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the name of the component."),
    conditions: field(2, keyedList(ComponentCondition, ["type"]), "The conditions show the component's health."),
  }),
);
export type ComponentStatus = z.infer<typeof ComponentStatus>;
