import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConfigMap, configMaps, isApiError } from "@kintsugi/api";
import { withEntry } from "@kintsugi/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServerProcess, prepareApiServer } from "../support/servers/api-server-process.ts";
import { kintsugi } from "../support/lab-cluster.ts";
import type { ProgramResult } from "../support/run-program.ts";

const namespace = "default";
const aConfigMap = (name: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data: { text: "x".repeat(2000) },
});

describe("a snapshot of a running API server", () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-snapshot-"));
  const file = join(directory, "cluster.snapshot");
  let server: ApiServerProcess;
  let acknowledgedBefore: string[];
  let saved: ProgramResult;

  beforeAll(async () => {
    server = await prepareApiServer();
    await server.start();
    const kubeconfig = join(directory, "kubeconfig");
    // JSON is YAML.
    writeFileSync(kubeconfig, JSON.stringify(withEntry({}, { name: "alone", ...server.access })));
    const written: string[] = [];
    let writing = true;
    const writer = async (id: number) => {
      for (let i = 0; writing; i++) {
        const name = `w${id}-${i}`;
        await server.client.create(configMaps, aConfigMap(name));
        written.push(name);
      }
    };
    const writers = [0, 1, 2, 3].map(writer);
    while (written.length < 200) await new Promise((resolve) => setTimeout(resolve, 5));
    acknowledgedBefore = [...written];
    saved = await kintsugi(["snapshot", "save", file, "--kubeconfig", kubeconfig]);
    writing = false;
    await Promise.all(writers);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  test("is readable by its owner only, and reports its contents", async () => {
    expect([saved.code, saved.stderr]).toEqual([0, expect.stringContaining("saved")]);
    expect(saved.stdout).toMatch(/^objects +\d+$/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const status = await kintsugi(["snapshot", "status", file, "--json"]);
    const { count, resources } = JSON.parse(status.stdout) as { count: number; resources: Record<string, number> };
    expect(resources["core/configmaps"]).toBeGreaterThanOrEqual(acknowledgedBefore.length);
    expect(count).toBeGreaterThan(resources["core/configmaps"] ?? 0);
  });

  test("is restored into an empty directory, with every write that was acknowledged earlier, in its own history", async () => {
    const dataDir = join(directory, "restored");
    const done = await kintsugi(["snapshot", "restore", file, "--data-dir", dataDir]);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    const { resourceVersion: old } = await server.client.list(configMaps, { namespace });
    await using restored = await prepareApiServer({ args: [`--data-dir=${dataDir}`] });
    await restored.start();
    const { items, resourceVersion } = await restored.client.list(configMaps, { namespace });
    const names = new Set(items.map(({ metadata }) => metadata.name));
    expect(acknowledgedBefore.filter((name) => !names.has(name))).toEqual([]);
    expect(Number(resourceVersion)).toBeGreaterThan(1_000_000_000);
    const { signal } = new AbortController();
    const events = restored.client.watch(configMaps, { namespace, resourceVersion: old, signal });
    const refusal = await events[Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => error);
    expect(isApiError(refusal) ? refusal.code : refusal).toBe(410);
    const again = await kintsugi(["snapshot", "restore", file, "--data-dir", dataDir]);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("has a store already: restore into an empty"),
    ]);
  });

  test("is rejected if it is damaged, if it is not a snapshot, and if the directory is not empty", async () => {
    const bytes = readFileSync(file);
    bytes[bytes.indexOf("xxxxxxxx", bytes.length >> 1)]! ^= 1;
    const damaged = join(directory, "damaged.snapshot");
    writeFileSync(damaged, bytes);
    const full = join(directory, "full");
    mkdirSync(full);
    writeFileSync(join(full, "letters.txt"), "");
    const dataDir = join(directory, "never");
    const said = async (...args: string[]) => {
      const { code, stderr } = await kintsugi(["snapshot", ...args]);
      return `${code} ${stderr}`;
    };
    expect(await said("status", damaged)).toMatch(/^1 ERROR: the snapshot is damaged in record \d+ of \d+, rev\/\d+/);
    expect(await said("restore", damaged, "--data-dir", dataDir)).toMatch(
      /^1 ERROR: the snapshot is damaged in record/,
    );
    expect(existsSync(join(dataDir, "HEAD"))).toBe(false);
    expect(await said("status", join(full, "letters.txt"))).toContain("this is not a Kintsugi snapshot");
    expect(await said("status", join(full, "none"))).toContain("no such file");
    expect(await said("restore", file, "--data-dir", full)).toContain("is neither empty nor a Kintsugi store");
    expect(await said("save", file, "--name", "nobody")).toContain('there is no cluster "nobody"');
  });
});
