import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { commandsOf } from "../support/documented-commands.ts";
import { kintsugi, repository } from "../support/lab-cluster.ts";
import { runProgram } from "../support/run-program.ts";

// deploy/README.md: its commands work, and the files that `kintsugi init` makes are the services'
// own. Needs no root.

/**
 * Commands that only a separate machine can run, with the test that runs them, and the text by
 * which it is found there.
 */
const elsewhere: Readonly<Record<string, { file: string; by: string }>> = {
  "kintsugi join": { file: "slow/nodes/join.test.ts", by: '"join",' },
  "kintsugi token create": { file: "slow/nodes/join.test.ts", by: '"token", "create"' },
  "kintsugi/provision/control-plane.sh": { file: "vagrant/phases.ts", by: "provision/control-plane.sh" },
  "kintsugi/provision/node.sh": { file: "vagrant/phases.ts", by: "provision/node.sh" },
  "systemctl status": { file: "vagrant/phases.ts", by: "systemctl status" },
  "npm run test:runtimes": { file: "runtimes/run.ts", by: "`npm run test:runtimes" },
  "npm run test:vagrant": { file: "vagrant/run.ts", by: "`npm run test:vagrant`" },
  "npx kintsugi up": { file: "end-to-end/readme.test.ts", by: "every command of the README works" },
  "npx kintsugi doctor": { file: "end-to-end/deploy-readme.test.ts", by: '"doctor"' },
  "kintsugi token delete": { file: "slow/nodes/join.test.ts", by: '"token", "delete"' },
  "kintsugi init": { file: "end-to-end/deploy-readme.test.ts", by: '"init"' },
  "ps -fp": { file: "end-to-end/lab.test.ts", by: "ps -fp" },
  "systemd-analyze security": { file: "integration/systemd-units.test.ts", by: "systemd-analyze" },
};
const packing = "npm run bundle && deploy/provision/pack.sh kintsugi.tar.gz";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-deploy-readme-"));
let taken: Server;
let port = 0;

beforeAll(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.2", resolve));
  ({ port } = taken.address() as { port: number });
});
afterAll(() => {
  taken?.close();
  rmSync(directory, { recursive: true });
});

test("every command of the page is run by a test", () => {
  const page = readFileSync(join(repository, "deploy/README.md"), "utf8");
  // The page's blocks of code are indented; a command can also be in a sentence.
  const blocks = page.replaceAll(/(?:^ {4}.*\n)+/gm, (block) => `\`\`\`\n${block}\`\`\`\n`);
  const inline = [...page.matchAll(/`((?:npx|npm|kintsugi|ps|systemd-analyze) [^`]+)`/g)].map(([, line = ""]) => line);
  const commands = [...commandsOf(blocks), ...inline];
  expect(commands.length).toBeGreaterThan(8);
  const known = [...Object.keys(elsewhere), packing, "npm run bundle"];
  expect(commands.filter((command) => !known.some((each) => command.startsWith(each)))).toEqual([]);
  expect(known.filter((each) => !commands.some((command) => command.startsWith(each)))).toEqual([]);
  for (const { file, by } of Object.values(elsewhere))
    expect([file, readFileSync(join(repository, "test", file), "utf8").includes(by)]).toEqual([file, true]);
});

test("the archive contains everything that a machine needs, and its programs run where it is unpacked", async () => {
  const archive = join(directory, "kintsugi.tar.gz");
  // The bundles exist, because `npm test` makes them first, as the command does.
  const command = packing.replace("npm run bundle && ", "").replace("kintsugi.tar.gz", archive);
  const packed = await runProgram("sh", ["-c", `cd ${repository} && ${command}`]);
  expect(packed).toMatchObject({ code: 0 });
  const unpacked = join(directory, "srv");
  mkdirSync(unpacked);
  expect(await runProgram("tar", ["-xzf", archive, "-C", unpacked])).toMatchObject({ code: 0 });
  const scripts = readdirSync(join(unpacked, "kintsugi/provision"));
  expect(scripts).toEqual(expect.arrayContaining(["control-plane.sh", "install.sh", "node.sh"]));
  for (const script of scripts)
    expect(await runProgram("bash", ["-n", join(unpacked, "kintsugi/provision", script)])).toMatchObject({ code: 0 });
  const help = await runProgram(join(unpacked, "kintsugi/bin/kintsugi"), ["join", "--help"]);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("--discovery-token-ca-cert-hash") });
  const native = await runProgram(process.execPath, [
    join(unpacked, "kintsugi/apps/api-server/bundle/main.mjs"),
    "--help",
  ]);
  expect(native).toMatchObject({ code: 0, stdout: expect.stringContaining("--data-dir") });
});

test("the doctor reports for every requirement whether it is met", async () => {
  const { code, stdout, stderr } = await kintsugi(["doctor"]);
  expect([0, 1]).toContain(code);
  expect(stdout + stderr).toMatch(/containerd/);
});

test("a control plane's files are the services' own files, and each service starts until it needs its port", async () => {
  const etc = join(directory, "etc");
  const where = ["--config-dir", etc, "--data-dir", join(directory, "store"), "--cluster-cidr", "10.200.128.0/17"];
  expect(await kintsugi(["init", "127.0.0.2", ...where])).toMatchObject({ code: 0 });
  const file = (service: string) => join(etc, `${service}.yaml`);
  expect(parse(readFileSync(file("controller-manager"), "utf8"))).toMatchObject({
    allocateNodeCIDRs: true,
    clusterCIDR: "10.200.128.0/17",
    serviceClusterIPRange: "10.96.0.0/16",
  });
  for (const service of ["api-server", "scheduler", "controller-manager"]) {
    const bundle = join(repository, `apps/${service}/bundle/main.mjs`);
    const { stdout, stderr } = await runProgram(
      process.execPath,
      [bundle, "--config", file(service), "--bind-address=127.0.0.2", `--secure-port=${port}`],
      { timeoutMs: 30_000 },
    );
    expect(stdout + stderr).toContain(`port ${port} on 127.0.0.2 is in use`);
  }
  // Keys and files are unchanged when the command is repeated.
  const before = readFileSync(join(etc, "pki/ca.crt"), "utf8");
  expect(await kintsugi(["init", "127.0.0.2", ...where])).toMatchObject({ code: 0 });
  expect(readFileSync(join(etc, "pki/ca.crt"), "utf8")).toBe(before);
  const refused = await kintsugi(["init", "127.0.0.2", "--config-dir", etc, "--cluster-cidr", "10.200.0.0"]);
  expect(refused.stderr).toContain("--cluster-cidr <cidr>");
  expect(refused.stderr).toContain('"10.200.0.0" is not an IPv4 range such as 10.96.0.0/16');
  expect(refused.code).toBe(2);
  const small = await kintsugi(["init", "192.0.2.1", "--config-dir", join(directory, "small")]);
  expect(small.stderr).toContain(
    "WARNING: the network of 192.0.2.1 has too few addresses for pods: set --cluster-cidr",
  );
});
