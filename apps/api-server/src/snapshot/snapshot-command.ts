import { createReadStream } from "node:fs";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { flag, FlagError, makeDirectory, readCommandLine, readOrExplain, UnusableDirectory } from "@kintsugi/daemon";
import { inspectSnapshot, restoreSnapshot, restoreSnapshotToLog, StoreCorrupt } from "@kintsugi/store";
import { type EtcdConfig, etcdConfig, etcdFlags } from "../storage/etcd-config.ts";
import { connectToEtcd } from "../storage/open-storage.ts";

const exitCodes = { done: 0, failed: 1 } as const;
const program = {
  name: "snapshot",
  description: "Verifies a snapshot, or restores it into a data directory or into etcd.",
  operands: { name: "words", help: "Action: status FILE, or restore FILE", many: true },
};
const flags = {
  json: flag.switch({ help: "Print the status as one JSON object" }),
  "data-dir": flag.path({ help: "Directory for the restored store" }),
  ...etcdFlags,
  "cluster-name": flag.text({
    help: "Name of the cluster, from which the default of --etcd-prefix is made",
    fallback: "kintsugi",
  }),
};

/**
 * Verifies a snapshot, or restores it to an empty data directory or to a store in etcd. @returns
 * the exit code.
 */
export async function snapshotCommand(argv: string[]): Promise<number> {
  const asked = readOrExplain(program.name, () => parse(argv));
  try {
    process.stdout.write(await carryOut(asked));
    return exitCodes.done;
  } catch (error) {
    const isTold =
      error instanceof StoreCorrupt || error instanceof UnusableDirectory || error instanceof RestoreRefused;
    if (!isTold && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    const which = isTold ? "" : `${asked.file}: `;
    process.stderr.write(`ERROR: ${which}${(error as Error).message}\n`);
    return exitCodes.failed;
  }
}

interface Asked {
  file: string;
  json: boolean;
  /** The directory to restore to; undefined: the status is printed. */
  dataDir: string | undefined;
  /** The etcd to restore to. */
  etcd: EtcdConfig | undefined;
}

/** The etcd cannot store the snapshot. The message contains the whole reason. */
class RestoreRefused extends Error {
  override readonly name = "RestoreRefused";
}

function carryOut(asked: Asked): Promise<string> {
  if (asked.etcd !== undefined) return restoreToEtcd(asked.file, asked.etcd);
  return asked.dataDir === undefined ? status(asked) : restore(asked.file, asked.dataDir);
}

function parse(argv: string[]): Asked {
  const { flags: values, operands } = readCommandLine(program, flags, argv);
  const [command, file, ...more] = operands;
  const dataDir = values["data-dir"];
  const etcd = etcdConfig(values);
  const targets = [dataDir, etcd].filter((target) => target !== undefined).length;
  const isWhole = file !== undefined && more.length === 0 && targets < 2;
  if (!isWhole || command !== (targets === 0 ? "status" : "restore"))
    throw new FlagError("write status FILE [--json], or restore FILE with --data-dir DIRECTORY or --etcd-servers URLS");
  return { file, json: values.json, dataDir, etcd };
}

async function status({ file, json }: Asked): Promise<string> {
  const { resources, ...report } = await inspectSnapshot(createReadStream(file));
  if (json) return `${JSON.stringify({ ...report, resources: Object.fromEntries(resources) })}\n`;
  const { clusterId, historyId, revision, count, byteLength } = report;
  return [
    `cluster    ${clusterId}`,
    `history    ${historyId}`,
    `revision   ${revision}`,
    `objects    ${count}`,
    `bytes      ${byteLength}`,
    ...[...resources.keys()].toSorted().map((name) => `  ${String(resources.get(name)).padStart(7)}  ${name}`),
    "Every record matches its checksum, and all records together match the snapshot's checksum.\n",
  ].join("\n");
}

/** @throws RestoreRefused, StoreCorrupt */
async function restoreToEtcd(file: string, etcd: EtcdConfig): Promise<string> {
  const { log } = await connectToEtcd(etcd);
  try {
    const restored = await restoreSnapshotToLog({
      log,
      clock: systemClock,
      random: systemRandom,
      snapshot: createReadStream(file),
    });
    return [
      `${restored.objects} objects are in etcd below ${etcd.prefix}, at revision ${restored.revision} of a new history.`,
      `Start the API servers with --etcd-prefix ${etcd.prefix}; clients list again automatically.\n`,
    ].join("\n");
  } catch (error) {
    if (error instanceof StoreCorrupt || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new RestoreRefused((error as Error).message, { cause: error });
  } finally {
    await log.close();
  }
}

async function restore(file: string, directory: string): Promise<string> {
  await makeDirectory(directory, { flag: "--data-dir", mode: 0o700 });
  const restored = await restoreSnapshot({ directory, random: systemRandom, snapshot: createReadStream(file) });
  return [
    `${restored.objects} objects are in ${directory}, at revision ${restored.revision} of a new history.`,
    `Start the API server with --data-dir ${directory}; clients list again automatically.\n`,
  ].join("\n");
}
