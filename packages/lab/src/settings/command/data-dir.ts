import { defineSetting } from "../setting.ts";

/**
 * Directory of the clusters' data that must survive a reboot, unless `--data-dir` names another
 * directory.
 */
export const defaultDataRoot = "/var/lib/kintsugi";

export const dataDirSetting = defineSetting({
  name: "dataDir",
  help: "directory of the data of all clusters",
  flag: { flags: "--data-dir <directory>", fallback: { value: defaultDataRoot } },
});
