import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { kintsugi, type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { type ProgramResult, runProgram } from "../support/run-program.ts";

describe.skipIf(sayWhyNot("clusters on this host", whyNoClusters()))("the cluster of a command", () => {
  let cluster: LabCluster;
  // Another user may be unable to access the project's directory.
  const open = mkdtempSync(join(tmpdir(), "kintsugi-nobody-"));
  const program = join(open, "apps/cli/bundle/main.mjs");
  beforeAll(async () => {
    cpSync(join(repository, "apps/cli/bundle"), join(open, "apps/cli/bundle"), { recursive: true });
    await runProgram("chmod", ["-R", "a+rX", open]);
    cluster = await startLabCluster({ name: "choice", nodes: 1 });
  }, 180_000);
  afterAll(async () => {
    rmSync(open, { recursive: true });
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Runs the command as a user with no rights. */
  function asNobody(...args: string[]): Promise<ProgramResult> {
    const words = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, program, ...args];
    return runProgram("setpriv", words);
  }
  const withContext = () => ({ env: { KUBECONFIG: cluster.kubeconfig, KINTSUGI_NAME: undefined } });

  test("is the cluster of kubectl's current context, and a command that changes it reports it", async () => {
    const read = await kintsugi(["status"], withContext());
    expect(read.stdout).toContain(`Cluster ${cluster.name},`);
    const changed = await kintsugi(["node", "heal", "node-1"], withContext());
    expect(changed.stderr).toContain(`Cluster "${cluster.name}", by the current context of kubectl; --name chooses`);
    expect(changed.code).toBe(0);
  });

  test("is the cluster of KINTSUGI_NAME before that, and --name takes precedence", async () => {
    const env = { KUBECONFIG: cluster.kubeconfig, KINTSUGI_NAME: "no-such" };
    const missed = await kintsugi(["status"], { env });
    expect([missed.code, missed.stderr]).toEqual([1, expect.stringContaining('there is no cluster "no-such"; --name')]);
    expect(missed.stderr).toContain(cluster.name);
    expect((await kintsugi(["status", "--name", cluster.name], { env })).code).toBe(0);
  });

  test("is in the list, with its state and context", async () => {
    const { stdout } = await kintsugi(["list", "--output", "json"], withContext());
    const listed = (JSON.parse(stdout) as { name: string }[]).find(({ name }) => name === cluster.name);
    expect(listed).toMatchObject({
      state: "running",
      nodes: 1,
      context: `kintsugi-${cluster.name}`,
      isDefault: true,
      api: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) as string,
    });
  });

  test.each([
    [["status"]],
    [["list"]],
    [["kubeconfig"]],
    [["node", "kill", "node-1"]],
    [["explain", "node", "node-1"]],
    [["timeline"]],
    [["stop"]],
    [["down"]],
  ])("without root, %j states that root is needed, and not that the cluster is missing", async (words) => {
    const named = words[0] === "list" ? words : [...words, "--name", cluster.name];
    const { code, stderr } = await asNobody(...named);
    expect([code, stderr]).toEqual([1, expect.stringContaining("run the command with sudo")]);
    expect(stderr).not.toContain("there is no cluster");
  });

  test("lacks the named node, and commands list its nodes and do not report success", async () => {
    const killed = await cluster.kintsugi("node", "kill", "node-9");
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining('has no node "node-9"; it has node-1')]);
    expect(killed.stderr).not.toContain("is off");
    for (const output of ["text", "perfetto", "html"]) {
      const history = await cluster.kintsugi("timeline", "--node", "node-9", "--output", output);
      expect([history.code, history.stdout]).toEqual([1, ""]);
      expect(history.stderr).toContain('has no node "node-9", neither now nor in its timeline; it has node-1');
    }
    const pod = await cluster.kintsugi("timeline", "--pod", "no-such");
    expect([pod.code, pod.stderr]).toEqual([1, expect.stringContaining('has no pod "no-such" in its timeline')]);
  });

  test("that is stopped is reported with the command that starts it", async () => {
    expect((await cluster.kintsugi("stop", "--grace", "0s")).code).toBe(0);
    for (const words of [
      ["explain", "node", "node-1"],
      ["timeline"],
      ["drain", "node-1"],
      ["restart", "pod", "web"],
      ["snapshot", "save", join(open, "snapshot")],
    ]) {
      const { code, stderr } = await cluster.kintsugi(...words);
      expect([words, code, stderr]).toEqual([
        words,
        1,
        expect.stringContaining(`is stopped; \`kintsugi start --name ${cluster.name}\` starts it`),
      ]);
      expect(stderr).not.toContain("ECONNREFUSED");
    }
    const killed = await cluster.kintsugi("node", "kill", "node-1");
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining("`kintsugi start --name")]);
  });

  test("that does not exist is not reported as removed", async () => {
    const { code, stderr } = await kintsugi(["down", "--name", "no-such"]);
    expect(code).toBe(0);
    expect(stderr).not.toContain("✓");
    expect(stderr).toMatch(/^There is no cluster "no-such", so nothing was removed\. Clusters of this host: /);
  });
});
