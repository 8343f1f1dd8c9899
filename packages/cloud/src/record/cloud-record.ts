import { z } from "zod";
import { LoadBalancer, MachineTemplate, CloudRoute } from "../cloud-provider.ts";

// The state of a simulated cloud. Everything below is pure: a change takes a record and returns the
// next record, or throws CloudError. The owner of the record writes it before it answers.
//
// The states of a node group's machine, by its list in the record:
//
//   wanted ──it exists──► made ──deleteMachines──► leaving ──it is gone──► (forgotten)
//                          └──it disappears unrequested──► forgotten, replaced by another

const Machine = z.strictObject({ name: z.string(), state: z.enum(["wanted", "made", "leaving"]) });

export const GroupRecord = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/, "a group's name has up to 20 lower-case letters and digits"),
  min: z.int().min(0),
  max: z.int().min(0).max(100),
  priority: z.int(),
  template: MachineTemplate,
  machines: z.array(Machine),
});
export type GroupRecord = z.infer<typeof GroupRecord>;

export const CloudRecord = z.strictObject({
  formatVersion: z.literal(1),
  balancers: z.array(LoadBalancer),
  groups: z.array(GroupRecord),
  /** Absent in records of earlier versions. */
  routes: z.array(CloudRoute).default([]),
});
export type CloudRecord = z.infer<typeof CloudRecord>;

export const emptyRecord: CloudRecord = { formatVersion: 1, balancers: [], groups: [], routes: [] };
