import { InvalidSpec } from "./cluster-spec.ts";

/** The programs that can make containers of what containerd says (the OCI runtime specification). */
const ociRuntimes = ["runc", "crun"] as const;

export type OciRuntime = (typeof ociRuntimes)[number];

/** Upstream's nodes have it, and its words for what went wrong: docs/decisions/0007. */
export const defaultOciRuntime: OciRuntime = "runc";

/** @throws InvalidSpec with those that there are. */
export function ociRuntimeNamed(name: string): OciRuntime {
  const known = ociRuntimes.find((runtime) => runtime === name);
  if (known === undefined) throw new InvalidSpec(`--oci-runtime "${name}" is not one of ${ociRuntimes.join(", ")}`);
  return known;
}
