import { defaultMinor, gitVersionOf, type KubernetesMinor } from "@kintsugi/api";

/**
 * The server's version. The minor version has only digits, because kubectl selects the program of
 * that minor version by it.
 */
export function serverVersion(minor: KubernetesMinor = defaultMinor) {
  return {
    major: "1",
    minor: String(minor),
    emulationMajor: "1",
    emulationMinor: String(minor),
    minCompatibilityMajor: "1",
    minCompatibilityMinor: String(minor - 1),
    gitVersion: gitVersionOf(minor),
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z",
    goVersion: "",
    compiler: "node",
    platform: "linux/amd64",
  };
}
