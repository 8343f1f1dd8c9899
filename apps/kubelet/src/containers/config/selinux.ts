import type { SELinuxOptions } from "@kintsugi/api";
import type { SelinuxOptions } from "@kintsugi/cri";

/** An SELinux label as the runtime takes it (convertToRuntimeSELinuxOption). */
export function selinuxOptions(options: SELinuxOptions | undefined): { selinux?: SelinuxOptions } {
  if (!options) return {};
  const { user = "", role = "", type = "", level = "" } = options;
  return { selinux: { user, role, type, level } };
}
