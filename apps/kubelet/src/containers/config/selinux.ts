import type { SELinuxOptions } from "@kintsugi/api";
import type { SelinuxOptions } from "@kintsugi/cri";

/** An SELinux label in the runtime's form (convertToRuntimeSELinuxOption). */
export function selinuxOptions(options: SELinuxOptions | undefined): { selinux?: SelinuxOptions } {
  if (!options) return {};
  const { user = "", role = "", type = "", level = "" } = options;
  return { selinux: { user, role, type, level } };
}
