import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { crc32, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { repository } from "../support/lab-cluster.ts";
import { runProgram } from "../support/run-program.ts";

// The programs of tools/bundle.mjs start with their compiled V8 code cache, and without it as well.
// Needs no root.

const directory = mkdtempSync(join(tmpdir(), "kintsugi-bundles-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Every bundled program, without the file extensions. */
const programs = readdirSync(join(repository, "apps"))
  .map((app) => join(repository, "apps", app, "bundle"))
  .filter((bundle) => existsSync(bundle))
  .flatMap((bundle) => readdirSync(bundle).map((file) => join(bundle, file)))
  .filter((file) => file.endsWith(".script.js"))
  .map((file) => file.replace(/\.script\.js$/, ""));
const nameOf = (program: string) => program.slice(join(repository, "apps/").length);

test("every service, the command line and the simulator are such programs", () => {
  const services = ["api-server", "controller-manager", "kubelet", "scheduler", "proxy", "cli", "simulator"];
  expect(programs.map(nameOf)).toEqual(expect.arrayContaining(services.map((name) => `${name}/bundle/main`)));
});

describe.each(programs.map((program) => ({ program, name: nameOf(program) })))("$name", ({ program }) => {
  const bytes = readFileSync(`${program}.script.js`);
  const code = readFileSync(`${program}.code-cache`);

  test("has compiled code of this very program, which this V8 accepts", () => {
    expect(code.readUInt32BE()).toBe(crc32(bytes));
    const script = new Script(bytes.toString("latin1"), { filename: program, cachedData: code.subarray(4) });
    expect(script.cachedDataRejected).toBe(false);
  });

  test("does not import modules while it runs, because compiled code cannot", () => {
    expect(/[^.\w${]import\(["']/.exec(bytes.toString("latin1"))?.[0]).toBeUndefined();
  });

  test("contains only ASCII, which V8 stores in one byte a character", () => {
    expect(bytes.findIndex((byte) => byte > 0x7f)).toBe(-1);
  });
});

test.each([
  ["that is missing", undefined],
  ["of another program", (code: Buffer) => Buffer.concat([Buffer.from("else"), code.subarray(4)])],
  ["of another V8", (code: Buffer) => Buffer.concat([code.subarray(0, 4), Buffer.alloc(code.length - 4, 1)])],
])("a program starts without code %s", async (_, spoil) => {
  const from = join(repository, "apps/scheduler/bundle/main");
  const to = join(directory, "scheduler");
  for (const part of ["mjs", "script.js"]) copyFileSync(`${from}.${part}`, `${to}.${part}`);
  if (spoil) writeFileSync(`${to}.code-cache`, spoil(readFileSync(`${from}.code-cache`)));
  const { code, stdout, stderr } = await runProgram(process.execPath, [`${to}.mjs`, "--help"], { timeoutMs: 30_000 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Usage: scheduler");
});

test("with --enable-source-maps an error reports its place in the sources", async () => {
  const program = join(repository, "apps/simulator/bundle/main.mjs");
  // The parent process is missing, a mistake that a command line cannot make.
  const child = fork(program, ["seeds-worker"], { execArgv: ["--enable-source-maps"], silent: true });
  let said = "";
  child.stderr?.on("data", (data: Buffer) => (said += data.toString()));
  child.send(null as unknown as string);
  const [code] = (await once(child, "close")) as [number];
  expect(code).not.toBe(0);
  expect(said).toMatch(/apps\/simulator\/src\/seeds\/[a-z-]+\.ts:\d+/);
});

/** The files of the page with their transfer sizes, in thousands of bytes. */
function pageSizes(): { name: string; kilobytes: number }[] {
  const bundle = join(repository, "apps/dashboard/bundle");
  return ["index.html", ...readdirSync(join(bundle, "assets")).map((file) => `assets/${file}`)].map((name) => ({
    name,
    kilobytes: gzipSync(readFileSync(join(bundle, name))).length / 1000,
  }));
}

test("the page is under 150 kB without its terminal, and under 40 kB at its first load", () => {
  const sum = (files: { kilobytes: number }[]) => files.reduce((total, { kilobytes }) => total + kilobytes, 0);
  const own = pageSizes().filter(({ name }) => !name.includes("open-screen"));
  expect(own.length).toBeLessThan(pageSizes().length);
  expect(sum(own)).toBeLessThan(150);
  const html = readFileSync(join(repository, "apps/dashboard/bundle/index.html"), "utf8");
  const atFirst = own.filter(({ name }) => name === "index.html" || html.includes(name));
  expect(atFirst.length).toBeGreaterThan(2);
  expect(sum(atFirst)).toBeLessThan(40);
});
