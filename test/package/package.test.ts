import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { forgetCluster, rememberCluster, repository } from "../support/lab-cluster.ts";
import { endWithThis, runProgram } from "../support/run-program.ts";
import { type InstalledPackage, installPackage } from "./installed-package.ts";

// The npm package as a user has it: installed from its file, without scripts, without a registry,
// with an empty home, and, if the tests run as root, as a user without rights who cannot see a
// checkout.

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed?.[Symbol.asyncDispose]());

test("the package contains programs, pages and licenses, and neither source maps nor compiled code", async () => {
  const root = join(installed.directory, "node_modules/kintsugi");
  const files = await readdir(root, { recursive: true });
  expect(files.filter((file) => /\.(map|code-cache|node)$/.test(file))).toEqual([]);
  for (const name of ["README.md", "LICENSE", "THIRD-PARTY-LICENSES.txt"]) expect(files).toContain(name);
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Record<string, unknown>;
  expect(Object.keys(manifest["dependencies"] as object)).toEqual(["classic-level"]);
  expect([manifest["scripts"], manifest["os"], manifest["cpu"]]).toEqual([undefined, undefined, undefined]);
});

test("a run in virtual time prints its first line long before its end", async () => {
  const [program, ...words] = installed.command;
  const startedMs = performance.now();
  const child = endWithThis(
    spawn(program, [...words, "simulate", "node-dead"], { env: installed.environment, cwd: "/" }),
  );
  const lines: string[] = [];
  let firstAfterMs = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.length === 0) firstAfterMs = performance.now() - startedMs;
    lines.push(line);
  }
  expect(lines[0]).toBe("node-dead: profile default, seed 1, 10m");
  expect(lines.at(-1)).toBe("16 of 16 expectations met");
  expect(firstAfterMs).toBeLessThan((performance.now() - startedMs) * 0.7);
});

test("a run is written as a page that plays it", async () => {
  const page = join(installed.directory, "out.html");
  const { code, stderr } = await installed.kintsugi(["simulate", "crash-loop-for-ever", "--html", page]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect((await stat(page)).size).toBeGreaterThan(100_000);
});

describe("a test server", () => {
  let child: ReturnType<typeof spawn>;
  let kubeconfig: string;
  beforeAll(async () => {
    const [program, ...words] = installed.command;
    const data = join(installed.home, "data");
    child = endWithThis(
      spawn(program, [...words, "test-server", "--json", "--with-parent", "--data-dir", data], {
        env: installed.environment,
        cwd: "/",
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line")) as [string];
    ({ kubeconfig } = JSON.parse(line) as { kubeconfig: string });
  });
  afterAll(async () => {
    child.stdin?.end();
    await once(child, "exit");
  });

  const kubectl = (...args: string[]) =>
    runProgram(newestKubectl() ?? "kubectl", ["--kubeconfig", kubeconfig, ...args]);
  const cannot = sayWhyNot("a test server of the package by kubectl", newestKubectl() ? undefined : "no kubectl");

  test.skipIf(cannot)("runs a Deployment, and stores its objects on the disk", async () => {
    expect((await kubectl("create", "deployment", "web", "--image=nginx", "--replicas=3")).code).toBe(0);
    const waited = await kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=60s");
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringContaining("condition met") as string });
    expect(await readdir(join(installed.home, "data"))).not.toEqual([]);
  });

  test.skipIf(cannot)("is explained, and has a timeline, for its user", async () => {
    const explained = await installed.kintsugi(["explain", "workload", "web", "--kubeconfig", kubeconfig]);
    expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining("3 of 3 pods ready") as string });
    const history = await installed.kintsugi(["timeline", "--kubeconfig", kubeconfig]);
    expect(history).toMatchObject({ code: 0, stdout: expect.stringContaining("node-1") as string });
    const page = await installed.kintsugi(["timeline", "--kubeconfig", kubeconfig, "--output", "html"]);
    expect(page.stdout).toContain("<!doctype html>");
  });
});

test("the playground is served on loopback, with its worker", async () => {
  const [program, ...words] = installed.command;
  const child = endWithThis(
    spawn(program, [...words, "playground", "--no-open"], { env: installed.environment, cwd: "/" }),
  );
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(line)?.[0] ?? "";
  expect(await (await fetch(url)).text()).toContain("<title>Kintsugi: the playground</title>");
  expect((await (await fetch(`${url}simulator.js`)).text()).length).toBeGreaterThan(1_000_000);
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
});

test.skipIf(process.getuid?.() !== 0)(
  "a command that needs root reports it in a sentence, and names commands that do not",
  async () => {
    for (const command of ["up", "demo"]) {
      const { code, stdout, stderr } = await installed.kintsugi([command]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^ERROR: .* run the command with sudo\..*`kintsugi test-server`.*\n$/);
    }
  },
);

test("a port that is in use is reported in one sentence", async () => {
  await using taken = await listenAnywhere();
  for (const command of ["test-server", "playground"]) {
    const { code, stdout, stderr } = await installed.kintsugi([command, "--port", String(taken.port)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^[^{\\n]*port ${taken.port} .*: choose another port with --port\\n$`));
  }
});

async function listenAnywhere(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())) };
}

test.skipIf(process.getuid?.() !== 0)("an unwritable home is reported in one sentence, or has no effect", async () => {
  const env = { HOME: "/proc" };
  const server = await installed.kintsugi(["test-server"], { env });
  expect(server).toMatchObject({ code: 1, stdout: "" });
  expect(server.stderr).toMatch(/^test-server: nothing can be written in \/proc .*: choose another --kubeconfig\n$/);
  const listed = await installed.kintsugi(["simulate", "--list"], { env });
  expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: "" });
});

test("an outdated Node.js is reported in one sentence", async () => {
  const bin = join(installed.directory, "node_modules/kintsugi/bin/kintsugi");
  const old = `Object.defineProperty(process.versions, "node", { value: "18.20.8" });`;
  const options = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
  const { code, stderr } = await runProgram(process.execPath, [...options, bin, "simulate"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "kintsugi needs Node.js 20.19, 22.12 or newer, and this is 18.20.8: install 24 from https://nodejs.org\n",
  });
});

const cannotRun = sayWhyNot("a lab by the package", whyNoClusters());

test.skipIf(cannotRun)("a node with containers runs by the package's own programs", async () => {
  const name = `package-${process.pid}`;
  const own = ["--name", name, "--kubeconfig", join(installed.home, "lab")];
  await rememberCluster(name);
  try {
    const up = await installed.asRoot(["up", "--nodes", "1", "--profile", "fast", ...own]);
    expect(up).toMatchObject({ code: 0 });
    expect(await commandLinesOf(name)).not.toContain(repository);
    const nodes = await runProgram(newestKubectl() ?? "kubectl", [
      "--kubeconfig",
      join(installed.home, "lab"),
      "get",
      "nodes",
    ]);
    expect(nodes.stdout).toMatch(/node-1 +Ready/);
  } finally {
    expect(await installed.asRoot(["down", ...own])).toMatchObject({ code: 0 });
    await forgetCluster(name);
  }
});

/** The command lines of a cluster's processes: the supervisor's pid files have their pids. */
async function commandLinesOf(name: string): Promise<string> {
  const directory = `/run/kintsugi/${name}/pids`;
  const lines = (await readdir(directory)).map(async (file) => {
    const { pid } = JSON.parse(await readFile(join(directory, file), "utf8")) as { pid: number };
    return readFile(`/proc/${pid}/cmdline`, "utf8");
  });
  const text = (await Promise.all(lines)).join("\n");
  expect(text).toContain(installed.directory);
  return text;
}

test.skipIf(cannotRun)("the demo kills a node and detects its recovery", async () => {
  const name = `package-demo-${process.pid}`;
  await rememberCluster(name);
  const { code, stdout, stderr } = await installed.asRoot([
    "demo",
    "--name",
    name,
    "--kubeconfig",
    join(installed.home, "demo"),
  ]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("last heartbeat → all ready (whole recovery)");
  await forgetCluster(name);
});
