import { nodeActions } from "@kintsugi/lab";
import { z } from "zod";

const name = z.string().regex(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, "is not the name of an object");

/** A fault or a change that the page requests in a lab. */
export const LabAction = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("node"), node: name, action: z.enum(nodeActions) }),
  z.strictObject({ is: z.enum(["cordon", "uncordon", "drain"]), node: name }),
  z.strictObject({ is: z.enum(["crash", "fill-memory"]), namespace: name, pod: name, container: name }),
  z.strictObject({ is: z.enum(["delete", "evict"]), namespace: name, pod: name }),
  z.strictObject({
    is: z.literal("scale"),
    kind: z.enum(["Deployment", "StatefulSet", "ReplicaSet"]),
    namespace: name,
    name,
    replicas: z.int().min(0).max(10_000),
  }),
]);
export type LabAction = z.infer<typeof LabAction>;

/** An invalid request for an action, with a sentence about the reason. */
export class BadLabAction extends Error {
  override readonly name = "BadLabAction";
}

/** @throws BadLabAction */
export function readLabAction(text: string): LabAction {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BadLabAction("the body is not JSON", { cause });
  }
  const read = LabAction.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new BadLabAction(`${issue?.path.join(".") || "the body"}: ${issue?.message ?? "is not an action"}`);
}
