import { homedir } from "node:os";
import { join } from "node:path";
import {
  applyRecord,
  instantIn,
  isRecord,
  nodesFromFlag,
  type RecordedChange,
  type RawObject,
  type PictureSource,
  UnreadableSource,
} from "@kintsugi/rehearsal";
import { openLiveCluster } from "./cluster-reader.ts";
import { readFiles } from "./read-files.ts";
import { readLive } from "./read-live.ts";

export interface SourceOptions {
  readonly from: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly nodes: string | undefined;
  /** The time in a record whose state is read. Default: its end. */
  readonly until?: string | undefined;
}

/** A source, and the changes of a record before they were applied. */
export interface ReadSource extends PictureSource {
  readonly observed: readonly RecordedChange[];
  /** The objects at the beginning of a record. */
  readonly base: readonly RawObject[];
  /** The controllers have to make pods, and the scheduler has to place them, before a question. */
  readonly isUnsettled: boolean;
}

/**
 * Reads the source of a rehearsal. @throws UnreadableSource, InvalidKubeconfig, ConnectionError.
 */
export async function readSource(options: SourceOptions, say: (line: string) => void): Promise<ReadSource> {
  const { from, nodes, until } = options;
  if (from === undefined) return readCluster(options, say);
  const { objects: base, listed, observed = [], isDirectory, isTrace = false } = readFiles(from);
  const untilMs = until === undefined ? Infinity : instantIn(until);
  if (Number.isNaN(untilMs))
    throw new UnreadableSource(`--until ${until} is not a time: write for example 2026-11-28T14:00:00Z`);
  if (until !== undefined && observed.length === 0)
    throw new UnreadableSource(
      `--until needs a record, and ${from} contains only one state (\`kintsugi rehearse record\`)`,
    );
  const { objects, past } = applyRecord(base, observed, untilMs);
  const described = nodes === undefined ? [] : nodesFromFlag(nodes);
  const hasNodes = objects.some(({ kind }) => kind === "Node");
  if (hasNodes && described.length > 0)
    throw new UnreadableSource(`${from} contains Nodes: omit --nodes, or rehearse manifests without Nodes`);
  // Manifests are a whole source. A dump of many files does not show its gaps.
  const areManifests = !isTrace && listed.length === 0 && !objects.some(wasRead);
  const hasPods = objects.some(({ kind }) => kind === "Pod");
  const isWhole = areManifests && (described.length > 0 || (isDirectory && !hasPods));
  return {
    name: from === "-" ? "standard input" : from,
    objects: [...objects, ...described] as RawObject[],
    listed,
    isWhole,
    isUnsettled: isWhole || described.length > 0,
    observed,
    base,
    ...(observed.length === 0 ? {} : { past }),
  };
}

async function readCluster({ kubeconfig, context }: SourceOptions, say: (line: string) => void): Promise<ReadSource> {
  const path = kubeconfigOf(kubeconfig);
  const reader = openLiveCluster(path, context);
  try {
    const { objects, listed } = await readLive(reader, say);
    return { name: reader.name, objects, listed, isWhole: false, isUnsettled: false, observed: [], base: objects };
  } finally {
    await reader.close();
  }
}

/** An API server has stored the object, so the source is a dump of a cluster. */
function wasRead({ metadata }: RawObject): boolean {
  return isRecord(metadata) && typeof metadata["resourceVersion"] === "string";
}

/** The kubeconfig that kubectl would use by default. */
export function kubeconfigOf(given: string | undefined): string {
  return given ?? join(homedir(), ".kube/config");
}
