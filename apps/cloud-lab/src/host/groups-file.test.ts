import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readGroups } from "./groups-file.ts";

const host = { cpuMillicores: 4000, memoryBytes: 8 * 1024 ** 3 };

async function read(text: string) {
  const directory = await mkdtemp(join(tmpdir(), "groups-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, "groups.json");
  await writeFile(file, text);
  return readGroups(file, host);
}

test("a group without a size has machines as large as the host, and no group has larger machines", async () => {
  const group = { name: "a", min: 0, max: 3, priority: 1 };
  const [all, small, large] = await read(
    JSON.stringify([
      group,
      { ...group, name: "b", cpuMillicores: 500, memoryBytes: 1024 ** 3, zone: "z" },
      { ...group, name: "c", cpuMillicores: 9000 },
    ]),
  );
  expect(all).toMatchObject({ ...group, machines: [], template: { ...host, podsMax: 110, zone: "lab-a" } });
  expect(small?.template).toMatchObject({ cpuMillicores: 500, memoryBytes: 1024 ** 3, zone: "z" });
  expect(large?.template.cpuMillicores).toBe(4000);
});

test("a file without groups is rejected by its name", async () => {
  await expect(read("{}")).rejects.toThrow(/--groups-file .*groups\.json: /);
  await expect(read('[{"name":"A"}]')).rejects.toThrow(/a group's name has up to 20/);
});
