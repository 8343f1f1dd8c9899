import { createReadStream } from "node:fs";
import { systemRandom } from "@kintsugi/clock";
import { flag, FlagError, makeDirectory, readCommandLine, readOrExplain, UnusableDirectory } from "@kintsugi/daemon";
import { inspectSnapshot, restoreSnapshot, StoreCorrupt } from "@kintsugi/store";

const exitCodes = { done: 0, failed: 1 } as const;
const program = {
  name: "snapshot",
  description: "Proves a snapshot, or makes an empty directory into a data directory out of one.",
  operands: { name: "words", help: "Action: status FILE, or restore FILE", many: true },
};
const flags = {
  json: flag.switch({ help: "Print the status as one JSON object" }),
  "data-dir": flag.path({ help: "Directory for the restored store" }),
};

/**
 * Proves a snapshot, or makes an empty directory into a data directory out of one. @returns the
 * exit code.
 */
export async function snapshotCommand(argv: string[]): Promise<number> {
  const asked = readOrExplain(program.name, () => parse(argv));
  try {
    process.stdout.write(asked.dataDir === undefined ? await status(asked) : await restore(asked.file, asked.dataDir));
    return exitCodes.done;
  } catch (error) {
    const isTold = error instanceof StoreCorrupt || error instanceof UnusableDirectory;
    if (!isTold && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    const which = isTold ? "" : `${asked.file}: `;
    process.stderr.write(`ERROR: ${which}${(error as Error).message}\n`);
    return exitCodes.failed;
  }
}

interface Asked {
  file: string;
  json: boolean;
  /** The directory to restore to; undefined prints the status. */
  dataDir: string | undefined;
}

function parse(argv: string[]): Asked {
  const { flags: values, operands } = readCommandLine(program, flags, argv);
  const [command, file, ...more] = operands;
  const dataDir = values["data-dir"];
  if (file === undefined || more.length > 0 || command !== (dataDir === undefined ? "status" : "restore"))
    throw new FlagError("write status FILE [--json], or restore FILE --data-dir DIRECTORY");
  return { file, json: values.json, dataDir };
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
  await makeDirectory(directory, { flag: "--data-dir", mode: 0o700 });
  const restored = await restoreSnapshot({ directory, random: systemRandom, snapshot: createReadStream(file) });
  return [
    `${restored.objects} objects are in ${directory}, at revision ${restored.revision} of a new history.`,
    `Start the API server with --data-dir ${directory}; clients list anew, by themselves.\n`,
  ].join("\n");
}
