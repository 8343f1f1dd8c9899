import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { systemRandom } from "@kintsugi/clock";
import { inspectSnapshot, restoreSnapshot, StoreCorrupt } from "@kintsugi/store";

const exitCodes = { done: 0, failed: 1, usage: 2 } as const;
const usage = "usage: snapshot-main status FILE [--json]\n       snapshot-main restore FILE --data-dir DIRECTORY\n";

/** Proves a snapshot, or makes an empty directory into a data directory out of one. @returns the exit code. */
export async function snapshotCommand(argv: string[]): Promise<number> {
  const asked = parse(argv);
  if (asked === undefined) {
    process.stderr.write(usage);
    return exitCodes.usage;
  }
  try {
    process.stdout.write(asked.dataDir === undefined ? await status(asked) : await restore(asked.file, asked.dataDir));
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof StoreCorrupt) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    process.stderr.write(`ERROR: ${(error as Error).message}\n`);
    return exitCodes.failed;
  }
}

interface Asked {
  file: string;
  json: boolean;
  /** Where to restore; undefined asks for the status. */
  dataDir: string | undefined;
}

function parse(argv: string[]): Asked | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: { json: { type: "boolean" }, "data-dir": { type: "string" } },
    });
    const [command, file, ...more] = positionals;
    const dataDir = values["data-dir"];
    if (file === undefined || more.length > 0) return undefined;
    if (command !== (dataDir === undefined ? "status" : "restore")) return undefined;
    return { file, json: values.json === true, dataDir };
  } catch {
    return undefined;
  }
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
    "Every record matches its checksum, and all of them the snapshot's.\n",
  ].join("\n");
}

async function restore(file: string, directory: string): Promise<string> {
  const restored = await restoreSnapshot({ directory, random: systemRandom, snapshot: createReadStream(file) });
  return [
    `${restored.objects} objects are in ${directory}, at revision ${restored.revision} of a new history.`,
    `Start the API server with --data-dir ${directory}; clients list anew, by themselves.\n`,
  ].join("\n");
}
