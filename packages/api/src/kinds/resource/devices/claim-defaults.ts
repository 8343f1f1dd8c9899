import type { ResourceClaimSpec } from "./requested-devices.ts";

/** Sets one device for each request, and the operator Equal for tolerations. */
export function setClaimDefaults({ devices }: ResourceClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const wanted of exactly === undefined ? firstAvailable : [exactly, ...firstAvailable]) {
      if ((wanted.allocationMode ?? "") === "") wanted.allocationMode = "ExactCount";
      if (wanted.allocationMode === "ExactCount" && (wanted.count ?? 0) === 0) wanted.count = 1;
      for (const toleration of wanted.tolerations ?? []) toleration.operator ??= "Equal";
    }
  }
}
