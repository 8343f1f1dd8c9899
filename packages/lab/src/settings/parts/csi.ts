import { defineSetting } from "../setting.ts";

export const csiSetting = defineSetting({
  name: "csi",
  help: "start no storage driver: without a default StorageClass and the kinds of volume snapshots",
  flag: { flags: "--no-csi", fallback: { value: true } },
  /** True if the cluster has a storage driver, and the StorageClass `csi-lab`. */
  store: (desired = true): { csi?: boolean } => (desired ? { csi: true } : {}),
  contradiction: (spec, desired) => (!desired && spec.csi === true ? "a storage driver" : undefined),
});
