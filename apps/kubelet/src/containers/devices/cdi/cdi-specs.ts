import { join } from "node:path";
import type { Files } from "../../../machine/files/files.ts";
import { type CdiSpec, type ContainerEdits, parseCdiSpec } from "./cdi-spec.ts";

/** A driver writes a file for each claim, and a node has 110 pods by default. */
const filesMax = 1_000;
/** Specifications of whole machines with many devices take a tenth of this. */
const fileBytesMax = 1024 * 1024;

/** The changes to a container that add its devices, in the order in which they are applied. */
export interface ResolvedDevices {
  readonly edits: readonly ContainerEdits[];
}

interface FoundDevice {
  readonly priority: number;
  readonly path: string;
  readonly spec: CdiSpec;
  readonly edits: ContainerEdits;
}

/**
 * Finds devices in the specifications of the directories. The directories are read again for each
 * call, because drivers write specifications when they prepare a claim. A later directory takes
 * precedence over an earlier directory. Two files of one directory with the same device exclude
 * each other (CDI's registry).
 * @throws Error that names the devices, and the files that could not be read.
 */
export async function resolveCdiDevices(
  files: Pick<Files, "list" | "readTail">,
  { directories, ids }: { directories: readonly string[]; ids: readonly string[] },
): Promise<ResolvedDevices> {
  const faults: string[] = [];
  const found = new Map<string, FoundDevice[]>();
  for (const [priority, directory] of directories.entries()) {
    for (const path of await specFilesIn(files, directory, faults)) {
      const spec = readSpec(files, path, faults);
      for (const { name, containerEdits } of spec?.devices ?? []) {
        const id = `${spec?.kind}=${name}`;
        if (spec === undefined || !ids.includes(id)) continue;
        found.set(id, [...(found.get(id) ?? []), { priority, path, spec, edits: containerEdits }]);
      }
    }
  }
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) {
    const because = faults.length === 0 ? "" : ` (${faults.join("; ")})`;
    throw new Error(`unresolvable CDI devices ${missing.join(", ")}${because}`);
  }
  return { edits: editsOf(ids.map((id) => chosen(id, found.get(id) ?? []))) };
}

async function specFilesIn(files: Pick<Files, "list">, directory: string, faults: string[]): Promise<string[]> {
  const names = (await files.list(directory)).filter((name) => /\.(json|yaml)$/.test(name) && !name.startsWith("."));
  if (names.length > filesMax) faults.push(`only the first ${filesMax} files of ${directory} were read`);
  return names.slice(0, filesMax).map((name) => join(directory, name));
}

/** Links are not followed, and only regular files are read. */
function readSpec(files: Pick<Files, "readTail">, path: string, faults: string[]): CdiSpec | undefined {
  try {
    const content = files.readTail(path, fileBytesMax + 1);
    if (content === undefined) throw new Error("it is not a regular file");
    if (content.length > fileBytesMax) throw new Error(`it has more than ${fileBytesMax} bytes`);
    return parseCdiSpec(Buffer.from(content).toString("utf8"), path.endsWith(".json") ? "json" : "yaml");
  } catch (error) {
    faults.push(`${path} is not valid: ${(error as Error).message}`);
    return undefined;
  }
}

function chosen(id: string, candidates: readonly FoundDevice[]): FoundDevice {
  const highest = Math.max(...candidates.map(({ priority }) => priority));
  const [device, other] = candidates.filter(({ priority }) => priority === highest);
  if (device === undefined || other !== undefined)
    throw new Error(`conflicting CDI device ${id}: it is in ${device?.path} and in ${other?.path}`);
  return device;
}

/** The file-level edits apply once to each container that gets a device from the file. */
function editsOf(devices: readonly FoundDevice[]): ContainerEdits[] {
  const seen = new Set<CdiSpec>();
  return devices.flatMap(({ spec, edits }) => {
    const isNew = !seen.has(spec);
    seen.add(spec);
    return isNew && spec.containerEdits !== undefined ? [spec.containerEdits, edits] : [edits];
  });
}
