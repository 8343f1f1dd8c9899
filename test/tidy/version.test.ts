import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { repository, workspaces } from "./source-files.ts";

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8")) as Manifest;
}

test("programs, workspaces, and their dependencies on each other have the version of package.json", () => {
  const { version: wanted } = readManifest(".");
  expect(version).toBe(wanted);
  const others = workspaces().flatMap((workspace) => {
    const { version: own, dependencies, devDependencies } = readManifest(workspace);
    const needed = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith("@kintsugi/"),
    );
    return [[workspace, own] as const, ...needed.map(([name, of]) => [`${workspace} → ${name}`, of] as const)];
  });
  expect(others.length).toBeGreaterThan(100);
  expect(others.filter(([, of]) => of !== wanted)).toEqual([]);
});

test("images have the version of package.json", () => {
  const { version: wanted } = readManifest(".");
  const texts = ["deploy/images/Dockerfile", "deploy/compose/docker-compose.yml"].map((file) =>
    readFileSync(join(repository, file), "utf8"),
  );
  const tags = texts.flatMap((text) => [...text.matchAll(/\bkintsugi\/[a-z-]+:(\S+)/g)].map(([, tag]) => tag));
  expect(tags.length).toBeGreaterThan(5);
  expect(new Set(tags)).toEqual(new Set([wanted]));
});
