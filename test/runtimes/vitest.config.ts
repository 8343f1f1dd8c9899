import { defineConfig } from "vitest/config";

const conditions = ["@kintsugi/source"];

/** All tests of real containers that depend on containerd and runc. */
export const concerned = [
  "containerd",
  "containers",
  "garbage",
  "images",
  "kubelet",
  "node-resources",
  "node-restarts",
  "oci-runtime",
  "oom-kills",
  "pod-shapes",
  "pod-variety",
  "probes",
  "runtime-faults",
  "serving",
  "volumes",
];

/**
 * The configuration of `npm run test:runtimes`, which chooses the containerd: only tests that a
 * runtime's version can change.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "runtimes",
    include: ["test/runtimes/*.test.ts", `test/{end-to-end,slow/*}/{${concerned.join(",")}}.test.ts`],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
