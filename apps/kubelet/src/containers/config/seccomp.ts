import type { SeccompProfile } from "@kintsugi/api";
import type { SecurityProfile } from "@kintsugi/cri";

/** A seccomp profile as the runtime takes it; undefined when the pod does not say. */
export function seccompProfile(profile: SeccompProfile | undefined): SecurityProfile | undefined {
  if (!profile) return undefined;
  switch (profile.type) {
    case "Unconfined":
      return { type: "Unconfined" };
    case "RuntimeDefault":
      return { type: "RuntimeDefault" };
    case "Localhost":
      return { type: "Localhost", localhostRef: profile.localhostProfile ?? "" };
    default:
      return undefined;
  }
}
