import { defineConfig } from "vitest/config";

const conditions = ["@kintsugi/source"];

/** Of the end-to-end tests, those of what containerd and runc do. */
const concerned = [
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
 * For `npm run test:runtimes`, which says which containerd is found: what a runtime's version can
 * change.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "runtimes",
    include: ["test/runtimes/*.test.ts", `test/end-to-end/{${concerned.join(",")}}.test.ts`],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
