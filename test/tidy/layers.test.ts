import { expect, test } from "vitest";
import { layerViolations, mayImport } from "./layers.ts";
import { sourceFiles, workspaces } from "./source-files.ts";

test("every workspace has a row in the table of layers, and every row a workspace", () => {
  expect(Object.keys(mayImport).sort()).toEqual(workspaces().sort());
});

test("no file imports against the direction of the layers", () => {
  const files = workspaces().flatMap((workspace) => sourceFiles(workspace));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(layerViolations)).toEqual([]);
});

test.each([
  ["packages/store/src/a.ts", 'import { pods } from "@kintsugi/api";', /may import clock/],
  [
    "apps/kubelet/src/a.ts",
    'import { createScheduler } from "@kintsugi/scheduler/factory";',
    /only test\/, apps\/simulator, apps\/hollow, apps\/playground, apps\/test-server and packages\/testing/,
  ],
  ["apps/kubelet/src/a.ts", 'import { FakeRuntime } from "@kintsugi/cri/simulated";', /never imports simulated parts/],
  ["apps/simulator/src/a.ts", 'import { serveCri } from "@kintsugi/cri/testing";', /only tests import/],
  ["apps/kubelet/src/a.ts", 'import { x } from "@kintsugi/cri/src/grpc/x.ts";', /only the entry points/],
  ["apps/kubelet/src/a.ts", 'import type { x } from "../../../packages/cri/src/x.ts";', /stay inside its workspace/],
  ["apps/kubelet/src/a.ts", 'const x = await import("nats");', /only packages\/watch-stream/],
  ["packages/api/src/a.ts", 'import { join } from "node:path";', /runs in browsers/],
  ["apps/kubelet/src/a.ts", 'import { x } from "@kintsugi/etcd/version";', /only apps\/cli/],
  [
    "apps/controller-manager/src/controllers/job/controller.ts",
    'import { x } from "../replica-set/reconciler.ts";',
    /imports no other/,
  ],
  ["apps/new/src/a.ts", 'export { x } from "@kintsugi/clock";', /has no row/],
])("a planted violation in %s is detected: %s", (path, text, rule) => {
  expect(layerViolations({ path, text })).toHaveLength(1);
  expect(layerViolations({ path, text })[0]).toMatch(rule);
});

test.each([
  ["apps/kubelet/src/a.test.ts", 'import { FakeRuntime } from "@kintsugi/cri/simulated";'],
  ["apps/hollow/src/a.ts", 'import { FakeRuntime } from "@kintsugi/cri/simulated";'],
  ["apps/cli/src/a.ts", 'import { etcdVersionFault } from "@kintsugi/etcd/version";'],
  ["packages/controller/src/a.ts", 'import type { Client } from "@kintsugi/client";'],
  [
    "packages/cri/src/grpc/a.ts",
    'import { Client } from "@grpc/grpc-js";\nimport { x } from "../container-runtime.ts";',
  ],
])("allowed code in %s passes: %s", (path, text) => {
  expect(layerViolations({ path, text })).toEqual([]);
});
