import { join } from "node:path";
import type { SeccompProfile } from "@kintsugi/api";
import type { SecurityProfile } from "@kintsugi/cri";
import type { NodeContext } from "../../model/node-context.ts";
import { ContainerConfigError } from "../environment/config-error.ts";

/**
 * Returns a seccomp profile in the runtime's form; undefined when the pod does not name a profile.
 * As in upstream's getSeccompProfile, the files of a node are in `<root-dir>/seccomp`, and the
 * runtime reports a missing file.
 * @throws ContainerConfigError when the path is outside that directory.
 */
export function seccompProfile(
  profile: SeccompProfile | undefined,
  { rootDirectory }: Pick<NodeContext, "rootDirectory">,
): SecurityProfile | undefined {
  if (!profile) return undefined;
  switch (profile.type) {
    case "Unconfined":
      return { type: "Unconfined" };
    case "RuntimeDefault":
      return { type: "RuntimeDefault" };
    case "Localhost":
      return { type: "Localhost", localhostRef: join(rootDirectory, "seccomp", descending(profile)) };
    default:
      return undefined;
  }
}

/**
 * The API server also rejects this path, but a pod may not have come from it, and the runtime reads
 * the file as root.
 */
function descending({ localhostProfile = "" }: SeccompProfile): string {
  if (localhostProfile === "") {
    throw new ContainerConfigError("localhostProfile must be set if seccompProfile type is Localhost.");
  }
  const refused = (because: string) => {
    throw new ContainerConfigError(`invalid localhostProfile "${localhostProfile}": ${because}`);
  };
  if (localhostProfile.startsWith("/")) refused("must be a relative path");
  if (localhostProfile.split("/").includes("..")) refused("must not contain '..'");
  return localhostProfile;
}
