import { parse } from "yaml";
import { z } from "zod";

// A specification of the Container Device Interface (tags.cncf.io/container-device-interface,
// SPEC.md). An unknown field makes the file invalid, because the device might not work without that
// field.

const CdiDeviceNode = z.strictObject({
  path: z.string(),
  hostPath: z.string().optional(),
  type: z.string().optional(),
  major: z.number().int().optional(),
  minor: z.number().int().optional(),
  fileMode: z.number().int().optional(),
  permissions: z.string().optional(),
  uid: z.number().int().optional(),
  gid: z.number().int().optional(),
});
const CdiMount = z.strictObject({
  hostPath: z.string(),
  containerPath: z.string(),
  options: z.array(z.string()).optional(),
  type: z.string().optional(),
});
const ContainerEdits = z.strictObject({
  env: z.array(z.string()).optional(),
  deviceNodes: z.array(CdiDeviceNode).optional(),
  mounts: z.array(CdiMount).optional(),
  hooks: z.array(z.unknown()).optional(),
  intelRdt: z.unknown().optional(),
  additionalGids: z.array(z.number()).optional(),
  netDevices: z.array(z.unknown()).optional(),
});
const annotations = z.record(z.string(), z.string()).optional();
const CdiSpec = z.strictObject({
  cdiVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
  kind: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}\/[A-Za-z0-9][A-Za-z0-9_-]{0,252}$/),
  annotations,
  devices: z.array(z.strictObject({ name: z.string(), annotations, containerEdits: ContainerEdits })),
  containerEdits: ContainerEdits.optional(),
});

export type ContainerEdits = z.infer<typeof ContainerEdits>;
export type CdiDeviceNode = z.infer<typeof CdiDeviceNode>;
export type CdiMount = z.infer<typeof CdiMount>;
export type CdiSpec = z.infer<typeof CdiSpec>;

/** @throws Error with the first fault of a string that is not a specification. */
export function parseCdiSpec(text: string, form: "json" | "yaml"): CdiSpec {
  // Aliases could expand a small text to a large value.
  const value: unknown = form === "json" ? JSON.parse(text) : parse(text, { maxAliasCount: 0 });
  const parsed = CdiSpec.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "it is not valid"}`);
}
