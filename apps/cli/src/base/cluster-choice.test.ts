import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { noCluster, sayUnreachable } from "./cluster-access.ts";
import { chooseCluster, clusterOfContext, completeClusterName } from "./cluster-choice.ts";
import { ClusterOption, kubeconfigOption } from "./cluster-option.ts";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-choice-"));
afterAll(() => rmSync(directory, { recursive: true }));

test.each([
  [
    { environment: "lab", context: "nw" },
    { name: "lab", by: "environment" },
  ],
  [
    { environment: "", context: "nw" },
    { name: "nw", by: "context" },
  ],
  [
    { environment: undefined, context: undefined },
    { name: "kintsugi", by: "default" },
  ],
] as const)("without --name, a command line that sees %j selects %j", (seen, chosen) => {
  expect(chooseCluster(seen)).toEqual(chosen);
});

test("a context that leads to no cluster of this host selects none", async () => {
  const file = join(directory, "elsewhere");
  const context = { name: "kintsugi-elsewhere-9c1f", context: { cluster: "a", user: "a" } };
  const document = {
    "current-context": context.name,
    contexts: [context],
    clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:6443" } }],
    users: [{ name: "a", user: {} }],
  };
  writeFileSync(file, JSON.stringify(document));
  expect(await clusterOfContext(file)).toBeUndefined();
  writeFileSync(file, "not: [a kubeconfig");
  expect(await clusterOfContext(file)).toBeUndefined();
});

async function run(use: "reads" | "changes", words: string[], KINTSUGI_NAME: string | undefined) {
  const said: string[] = [];
  const names: string[] = [];
  const environment = { KUBECONFIG: join(directory, "nowhere"), HOME: undefined, KINTSUGI_NAME };
  const program = new Command().exitOverride().configureOutput({ writeErr: (text) => void said.push(text) });
  program.hook("preAction", (_, command) =>
    completeClusterName(command, { config: { environment }, say: (line) => said.push(line) }),
  );
  program
    .command("act")
    .exitOverride()
    .configureOutput({ writeErr: (text) => void said.push(text) })
    .option("--all")
    .addOption(new ClusterOption(use))
    .action((options: { name: string }) => void names.push(options.name));
  await program.parseAsync(["act", ...words], { from: "user" }).catch(() => {});
  return { names, said };
}

describe("a command", () => {
  test("determines the name of its cluster before it works", async () => {
    expect(await run("changes", [], undefined)).toEqual({ names: ["kintsugi"], said: [] });
    expect(await run("changes", ["--name", "nw"], "lab")).toEqual({ names: ["nw"], said: [] });
    expect(await run("reads", [], "lab")).toEqual({ names: ["lab"], said: [] });
  });

  test("that changes a cluster names it, unless the user has named it", async () => {
    const { names, said } = await run("changes", [], "lab");
    expect(names).toEqual(["lab"]);
    expect(said).toEqual(['Cluster "lab", by KINTSUGI_NAME; --name chooses another cluster.']);
    expect((await run("changes", ["--all"], "lab")).said).toEqual([]);
  });

  test("is rejected if KINTSUGI_NAME is not a valid name", async () => {
    const { names, said } = await run("changes", [], "Not_A_Name");
    expect(names).toEqual([]);
    expect(said.join("")).toContain('KINTSUGI_NAME: "Not_A_Name" cannot be a cluster\'s name');
  });
});

test("a command that can act on any cluster acts on the test server of kubectl's current context", async () => {
  const file = join(directory, "test-server");
  const name = "kintsugi-test-server-40123";
  const document = {
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server: "https://127.0.0.1:40123" } }],
    users: [{ name, user: {} }],
  };
  writeFileSync(file, JSON.stringify(document));
  const chosen = async (use: "reads" | "changes", words: string[], KINTSUGI_NAME?: string) => {
    const said: string[] = [];
    let kubeconfig: string | undefined;
    const environment = { KUBECONFIG: file, HOME: undefined, KINTSUGI_NAME };
    const program = new Command();
    program.hook("preAction", (_, command) =>
      completeClusterName(command, { config: { environment }, say: (line) => said.push(line) }),
    );
    program
      .command("act")
      .option(...kubeconfigOption)
      .addOption(new ClusterOption(use))
      .action((options: { kubeconfig?: string }) => void (kubeconfig = options.kubeconfig));
    await program.parseAsync(["act", ...words], { from: "user" });
    return { kubeconfig, said };
  };
  expect(await chosen("reads", [])).toEqual({ kubeconfig: file, said: [] });
  expect(await chosen("changes", [])).toEqual({
    kubeconfig: file,
    said: [`Context "${name}", the current context of kubectl; --kubeconfig chooses another kubeconfig.`],
  });
  expect(await chosen("reads", ["--name", "nw"])).toEqual({ kubeconfig: undefined, said: [] });
  expect((await chosen("reads", [], "lab")).kubeconfig).toBeUndefined();
  expect((await chosen("reads", ["--kubeconfig", "other"])).kubeconfig).toBe("other");
});

test("a missing cluster is reported with the list of existing clusters", () => {
  expect(noCluster("nv", [])).toBe(
    'there is no cluster "nv", and no other on this host; `kintsugi up --name nv` creates it',
  );
  expect(noCluster("nv", ["demo", "nw"])).toBe(
    'there is no cluster "nv"; --name chooses one of these: demo, nw; `kintsugi up --name nv` creates it',
  );
  const many = Array.from({ length: 25 }, (_, i) => `c${i}`);
  expect(noCluster("nv", many)).toContain("c18, c19 and 5 more;");
});

test.each([
  [false, false, 'cluster "nw" is stopped; `kintsugi start --name nw` starts it'],
  [false, true, "its supervisor is not running; `kintsugi start --name nw` starts it again"],
  [true, true, 'the API server of cluster "nw" does not respond; see `kintsugi status --name nw` and its log in /logs'],
])("supervised %s and run directory %s: the remedy is named", (isSupervised, hasRunDirectory, says) => {
  expect(sayUnreachable({ name: "nw", logs: "/logs", isSupervised, hasRunDirectory })).toContain(says);
});
