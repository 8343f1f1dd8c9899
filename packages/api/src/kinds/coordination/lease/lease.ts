import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { int32, microTime, text } from "../../../schema/types.ts";

export const LeaseSpec = object(
  "io.k8s.api.coordination.v1.LeaseSpec",
  "Who holds a lease, since when, and for how long.",
  () => ({
    holderIdentity: field(1, text, "Who holds it."),
    leaseDurationSeconds: field(2, int32, "How long it holds without being renewed."),
    acquireTime: field(3, microTime, "Since when it is held."),
    renewTime: field(4, microTime, "When it was last renewed."),
    leaseTransitions: field(5, int32, "How often it changed hands."),
    strategy: field(6, text, "How its holder is chosen."),
    preferredHolder: field(7, text, "Who should hold it next."),
  }),
);
export type LeaseSpec = z.infer<typeof LeaseSpec>;

export const Lease = kind(
  "io.k8s.api.coordination.v1.Lease",
  "A claim that lapses unless it is renewed: that a node lives, that a process leads.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: field(2, LeaseSpec, "Who holds it, since when, and for how long."),
  }),
);
export type Lease = z.infer<typeof Lease>;
