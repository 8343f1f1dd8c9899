import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { KnownCluster } from "../cluster/cluster-files.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { writeWhole } from "@kintsugi/daemon";
import { identifyProcess, isAlive, type ProcessIdentity } from "../host/process-identity.ts";
import { storedBy, type DesiredSettings } from "../settings/desired-settings.ts";

// A cluster has a file with the identity of the `up` that starts the cluster, until its API first
// responds. If that process has ended, the first start has failed, and the cluster does not have
// data that could be lost. Clusters of earlier versions have no such file.

/** Records that this process starts the cluster for the first time. */
export async function beginFirstStart({ paths }: KnownCluster): Promise<void> {
  await writeWhole(paths.firstStartFile, JSON.stringify(await identifyProcess(process.pid)));
}

/** Records that the cluster's API has responded, so that its data is worth keeping. */
export async function endFirstStart({ paths }: KnownCluster): Promise<void> {
  await rm(paths.firstStartFile, { force: true });
}

/** Returns whether the cluster's API has never responded, and no process waits for it. */
export async function hasFirstStartFailed({ paths }: KnownCluster): Promise<boolean> {
  const text = await readFile(paths.firstStartFile, "utf8").catch(() => undefined);
  if (text === undefined) return false;
  try {
    return !(await isAlive(JSON.parse(text) as ProcessIdentity));
  } catch {
    return true;
  }
}

/** Returns whether the desired settings would result in the same cluster in the same place. */
export function isSameCluster(
  { spec, paths }: { spec: ClusterSpec; paths: { data: string } },
  desired: DesiredSettings & { dataDir: string },
): boolean {
  const { formatVersion: _format, name: _name, subnet: _subnet, createdAtMs: _created, ...present } = spec;
  const { apiPort = spec.apiPort, ociRuntime = spec.ociRuntime, ...others } = desired;
  const wanted = storedBy({ ...others, apiPort, ...(ociRuntime === undefined ? {} : { ociRuntime }) });
  return dirname(paths.data) === desired.dataDir && isDeepStrictEqual(withoutTypes(wanted), withoutTypes(present));
}

/** Removes the differences that a description loses when it is written and read again. */
function withoutTypes(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
