/**
 * The server's version. The minor is plain digits: kubectl picks the program of that minor version
 * by it.
 */
export const serverVersion = {
  major: "1",
  minor: "33",
  emulationMajor: "1",
  emulationMinor: "33",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "32",
  gitVersion: "v1.33.1+kintsugi",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "",
  compiler: "node",
  platform: "linux/amd64",
} as const;
