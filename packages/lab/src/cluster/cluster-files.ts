import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory, UnusableDirectory, writeWhole } from "@kintsugi/daemon";
import { defaultDataRoot } from "../settings/command/data-dir.ts";
import { type ClusterPaths, clusterPaths } from "./cluster-paths.ts";
import type { ClusterSpec } from "./cluster-spec.ts";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import { healthyNode, healthyServer, type NodeState, type ServerState } from "./component.ts";
import { absentUnlessDenied } from "./root-needed.ts";

/**
 * The clusters of this host and the directories of their data: one small file each, so that `down`
 * needs only a name.
 */
const registry = join(defaultDataRoot, "clusters");

export interface KnownCluster {
  readonly spec: ClusterSpec;
  readonly paths: ClusterPaths;
}

/**
 * Reserves the cluster's name and directory. @throws InvalidSpec when the directory has other
 * content, or cannot be used.
 */
export async function saveNewCluster(dataRoot: string, spec: ClusterSpec): Promise<KnownCluster> {
  const paths = clusterPaths(dataRoot, spec.name);
  const present = await readdir(paths.data).catch(() => []);
  if (present.length > 0) {
    throw new InvalidSpec(
      `${paths.data} is not empty and has no cluster of Kintsugi: choose another --data-dir or --name`,
    );
  }
  // The data contains every Secret of the cluster, so only its owner may read it.
  await makeDirectory(paths.data, { flag: "--data-dir", mode: 0o700 }).catch((cause: unknown) => {
    throw cause instanceof UnusableDirectory ? new InvalidSpec(cause.message, { cause }) : cause;
  });
  await writeWhole(registryFile(spec.name), JSON.stringify({ data: dataRoot }));
  await saveSpec(paths, spec);
  return { spec, paths };
}

/** Replaces the description of an existing cluster. */
export async function saveSpec(paths: ClusterPaths, spec: ClusterSpec): Promise<void> {
  await writeWhole(paths.specFile, JSON.stringify(spec, null, 2));
}

/**
 * The cluster of that name, or undefined. @throws RootNeeded when this user lacks the permission;
 * InvalidSpec when its description was written by another version.
 */
export async function findCluster(name: string): Promise<KnownCluster | undefined> {
  const dataRoot = await registeredDataRoot(name);
  if (dataRoot === undefined) return undefined;
  const paths = clusterPaths(dataRoot, name);
  const text = await readFile(paths.specFile, "utf8").catch(absentUnlessDenied(paths.specFile));
  if (text === undefined) return undefined;
  return { spec: parseSpec(text, paths.specFile), paths };
}

/**
 * The directory of the cluster's data, even if the rest of the description no longer exists.
 * @throws RootNeeded when this user lacks the permission to read it.
 */
export async function registeredDataRoot(name: string): Promise<string | undefined> {
  const text = await readFile(registryFile(name), "utf8").catch(absentUnlessDenied(registryFile(name)));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as { data: string }).data;
  } catch {
    return undefined;
  }
}

/**
 * The names of all clusters of this host. @throws RootNeeded when this user lacks the permission to
 * read them.
 */
export async function listClusterNames(): Promise<string[]> {
  const files = (await readdir(registry).catch(absentUnlessDenied(registry))) ?? [];
  return files
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .sort();
}

export function registryFile(name: string): string {
  return join(registry, `${name}.json`);
}

export const registryDirectory = registry;

export async function readNodeStates(paths: ClusterPaths, spec: ClusterSpec): Promise<Map<string, NodeState>> {
  const saved = await readStates<NodeState>(paths.nodeStatesFile);
  return new Map(spec.nodes.map((node) => [node.name, saved[node.name] ?? healthyNode]));
}

export async function writeNodeStates(paths: ClusterPaths, states: ReadonlyMap<string, NodeState>): Promise<void> {
  await writeWhole(paths.nodeStatesFile, JSON.stringify(Object.fromEntries(states), null, 2));
}

export async function readServerStates(paths: ClusterPaths, spec: ClusterSpec): Promise<Map<string, ServerState>> {
  const saved = await readStates<ServerState>(paths.serverStatesFile);
  return new Map((spec.servers ?? []).map(({ name }) => [name, saved[name] ?? healthyServer]));
}

export async function writeServerStates(paths: ClusterPaths, states: ReadonlyMap<string, ServerState>): Promise<void> {
  await writeWhole(paths.serverStatesFile, JSON.stringify(Object.fromEntries(states), null, 2));
}

/** A missing state means a machine without faults. */
function readStates<State>(file: string): Promise<Record<string, State>> {
  return readFile(file, "utf8").then(
    (text) => JSON.parse(text) as Record<string, State>,
    () => ({}),
  );
}

function parseSpec(text: string, file: string): ClusterSpec {
  const spec = JSON.parse(text) as Partial<ClusterSpec>;
  if (spec.formatVersion !== 1 || !spec.name || !spec.nodes) {
    throw new InvalidSpec(
      `${file} was written by another version of Kintsugi: take the cluster down with that version`,
    );
  }
  return spec as ClusterSpec;
}
