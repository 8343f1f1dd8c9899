import { constants, existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, stat, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { dirname, join, relative } from "node:path";
import { type Client, discoverTypes, type DiscoveredType } from "@kintsugi/client";
import { type KnownCluster, nodePaths } from "@kintsugi/lab";
import { runCommand } from "@kintsugi/daemon";
import { type CommandContext } from "../base/command.ts";
import { withAdmin } from "../base/cluster-access.ts";
import { reportOn } from "../commands/status.ts";
import { readTimeline, timelineText } from "../timeline/timeline-command.ts";
import { logsOf } from "./logs-command.ts";
import { withoutValues } from "./without-secrets.ts";

// The folder of `kintsugi export logs`:
//
//   cluster.json  status.json  versions.json  kubernetes-version.json  timeline.txt
//   logs/api-server.log          of the cluster's programs, without the audit log
//   nodes/<node>/pods/…          of the containers, the last 10 MB of each
//   objects/<group>/<resource>.json   Secrets without their values
//   missing.txt                  the parts that could not be read, and why

/** A container's log is rotated at this size. */
const podLogBytesMax = 10 * 1024 * 1024;
/**
 * Limit on files below the directory of a node's container logs; only crash loops of days have
 * more.
 */
const podLogsMax = 5_000;
/** Time limit for one page from a server with the objects of a large cluster. */
const pageTimeoutMs = 30_000;
const pageSize = 500;
/** Limit on objects of a resource; more are Events of days, or custom resources of a load test. */
const pagesMax = 200;

/** Reports parts of the export that failed, and continues with the other parts. */
type Attempt = (part: string, work: () => Promise<void>) => Promise<void>;

/**
 * Writes everything that explains a cluster into `directory`. Returns sentences about the parts
 * that failed.
 */
export async function exportLogs(context: CommandContext, cluster: KnownCluster, directory: string): Promise<string[]> {
  const missing: string[] = [];
  const attempt: Attempt = async (part, work) => {
    try {
      await work();
    } catch (error) {
      context.signal.throwIfAborted();
      missing.push(`${part}: ${(error as Error).message}`);
    }
  };
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(directory, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(directory, name), text, { mode: 0o600 });
  };
  const writeJson = (name: string, value: unknown) => write(name, `${JSON.stringify(value, null, 2)}\n`);
  await writeJson("cluster.json", cluster.spec);
  await attempt("logs", () => copyLogs(cluster, join(directory, "logs")));
  await attempt("versions", async () => writeJson("versions.json", await versionsOf(context)));
  for (const node of cluster.spec.nodes) {
    const from = join(nodePaths(cluster.paths, node).kubeletRoot, "pod-logs");
    await attempt(`container logs of ${node.name}`, () => copyTails(from, join(directory, "nodes", node.name, "pods")));
  }
  await attempt("status", async () => writeJson("status.json", await reportOn(context, cluster)));
  await attempt("objects and timeline", () =>
    withAdmin(context, cluster, async (client) => {
      await attempt("timeline", async () => {
        const lines = timelineText(await readTimeline(client, { profile: cluster.spec.profile }, {}));
        await write("timeline.txt", `${lines.join("\n")}\n`);
      });
      await attempt("version of Kubernetes", async () =>
        writeJson("kubernetes-version.json", await client.call({ method: "GET", path: "/version" })),
      );
      await exportObjects({ client, attempt, signal: context.signal }, writeJson);
    }),
  );
  if (missing.length > 0) await write("missing.txt", `${missing.join("\n")}\n`);
  return missing;
}

/** An audit log may contain Secrets and tokens, depending on its policy, so it is excluded. */
async function copyLogs(cluster: KnownCluster, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const { program, file } of await logsOf(cluster)) {
    if (program === "audit" || program.startsWith("audit-")) continue;
    for (const name of [file, `${file}.1`]) {
      const from = join(cluster.paths.logs, name);
      if (existsSync(from)) await copyFile(from, join(to, name), constants.COPYFILE_FICLONE);
    }
  }
}

/** Copies the ends of all files below a directory. */
async function copyTails(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const entry of files.slice(0, podLogsMax)) {
    const source = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, source));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyTail(source, target);
  }
  if (files.length > podLogsMax) throw new Error(`${files.length - podLogsMax} of ${files.length} files are left out`);
}

async function copyTail(source: string, target: string): Promise<void> {
  const { size } = await stat(source);
  if (size <= podLogBytesMax) return copyFile(source, target, constants.COPYFILE_FICLONE);
  // A container's user cannot write to these directories, so the path cannot be redirected.
  await using handle = await open(source);
  const { buffer } = await handle.read({ buffer: Buffer.alloc(podLogBytesMax), position: size - podLogBytesMax });
  await writeFile(target, buffer, { mode: 0o600 });
}

async function versionsOf({ config }: CommandContext): Promise<Record<string, string>> {
  const programs = {
    containerd: config.programs.containerd,
    nats: config.programs.natsServer,
    etcd: config.programs.etcd,
  };
  const found = Object.entries({ ...programs, crun: ["crun"], runc: ["runc"] }).map(
    async ([name, [program = name]]) => {
      const said = await runCommand(program, ["--version"]).catch((error: unknown) => (error as Error).message);
      return [name, said.trim().split("\n")[0] ?? ""] as const;
    },
  );
  return {
    kintsugi: "0.1.0",
    node: process.version,
    kernel: release(),
    ...Object.fromEntries(await Promise.all(found)),
  };
}

interface Page {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly object[];
}

async function exportObjects(
  { client, attempt, signal }: { client: Client; attempt: Attempt; signal: AbortSignal },
  writeJson: (name: string, value: unknown) => Promise<void>,
): Promise<void> {
  const { types, unknownGroups } = await discoverTypes(client, signal);
  for (const group of unknownGroups)
    await attempt(`objects of ${group}`, () => Promise.reject(new Error("its API server does not respond")));
  for (const type of types.filter(({ verbs }) => verbs.includes("list"))) {
    const name = type.group === "" ? type.resource : `${type.resource}.${type.group}`;
    await attempt(`objects of ${name}`, async () => {
      const items = await listAll(client, type, signal);
      const isSecret = type.group === "" && type.resource === "secrets";
      if (items.length > 0) await writeJson(`objects/${name}.json`, isSecret ? items.map(withoutValues) : items);
    });
  }
}

async function listAll(client: Client, type: DiscoveredType, signal: AbortSignal): Promise<object[]> {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const items: object[] = [];
  let from = "";
  for (let page = 0; page < pagesMax; page++) {
    const path = `${root}/${type.resource}?limit=${pageSize}${from === "" ? "" : `&continue=${encodeURIComponent(from)}`}`;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]);
    const answer = (await client.call({ method: "GET", path, signal: ends })) as Page;
    items.push(...(answer.items ?? []));
    from = answer.metadata?.continue ?? "";
    if (from === "") break;
  }
  return items;
}
