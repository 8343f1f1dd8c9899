import { z } from "zod";

/** Replaced by the full schema below in this file; see kinds for what is built on it. */
export const ObjectMeta = z.object({ name: z.string().optional(), namespace: z.string().optional() });
export type ObjectMeta = z.infer<typeof ObjectMeta>;

/** What every object has. */
export interface ApiObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}
