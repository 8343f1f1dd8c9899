import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { keyedList, text } from "../../../schema/types.ts";

export const ComponentCondition = object(
  "io.k8s.api.core.v1.ComponentCondition",
  "ComponentCondition reports the health of a component.",
  () => ({
    type: required(1, text, "Type of the condition. Always Healthy."),
    status: required(2, text, "Status of the condition: True if the component is healthy, False if it is not."),
    message: field(3, text, "Message from the component's health check."),
    error: field(4, text, "Error of the health check, if the component is unhealthy."),
  }),
);

export const ComponentStatus = kind(
  "io.k8s.api.core.v1.ComponentStatus",
  "A ComponentStatus reports the health of a control-plane component. Deprecated since Kubernetes 1.19.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata with the name of the component."),
    conditions: field(2, keyedList(ComponentCondition, ["type"]), "Conditions that report the component's health."),
  }),
);
export type ComponentStatus = z.infer<typeof ComponentStatus>;
