import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { PodSpec } from "./spec/pod-spec.ts";
import { PodStatus } from "./status/pod-status.ts";

export const Pod = kind(
  "io.k8s.api.core.v1.Pod",
  "Containers that run together on one node, with one address.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: field(2, PodSpec, "What it runs, and how and where."),
    status: field(3, PodStatus, "How it is."),
  }),
);
export type Pod = z.infer<typeof Pod>;
