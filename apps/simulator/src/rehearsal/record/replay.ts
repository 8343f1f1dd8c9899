import { readFileSync } from "node:fs";
import {
  type AuditEntry,
  auditEntryOf,
  auditIncidents,
  defaultGraceMs,
  type Incidents,
  isRecord,
  makePicture,
  objectsOf,
  recordIncidents,
  scenarioOf,
  UnreadableSource,
  WorkloadIndex,
} from "@kintsugi/rehearsal";
import { type Pod, pods } from "@kintsugi/api";
import type { ReadSource } from "../sources/read-source.ts";

/** A larger log must be cut by its times before it is read. */
const logBytesMax = 512 * 1024 * 1024;

/** The functions with which a replay reads a cluster. */
export type ReadCluster = (from: string) => Promise<ReadSource>;

/**
 * Turns a record, or an audit log of Kubernetes, into a scenario.
 * @param cluster the file of the cluster of an audit log; a record contains its cluster.
 * @throws UnreadableSource
 */
export async function replayedScenario(
  file: string,
  { cluster, read }: { cluster: string | undefined; read: ReadCluster },
): Promise<string> {
  const entries = auditEntriesIn(file);
  if (entries !== undefined) return ofAuditLog(file, entries, { cluster, read });
  const source = await read(file);
  if (source.observed.length === 0)
    throw new UnreadableSource(
      `${file} contains one state of a cluster and no changes: give a record (\`kintsugi rehearse record\`) or an audit log`,
    );
  const picture = makePicture(source);
  const workloads = new WorkloadIndex(picture.objects);
  const incidents = recordIncidents(source.base, source.observed, {
    graceMs: defaultGraceMs(picture.minor),
    workloadOf: (pod) => workloads.of(pod as unknown as Pod).name,
  });
  return scenarioText(incidents, { file, cluster });
}

async function ofAuditLog(
  file: string,
  entries: readonly AuditEntry[],
  { cluster, read }: { cluster: string | undefined; read: ReadCluster },
): Promise<string> {
  if (cluster === undefined)
    throw new UnreadableSource(
      `${file} is an audit log, which contains no cluster: name a dump of the cluster with --from`,
    );
  const picture = makePicture(await read(cluster));
  const workloads = new WorkloadIndex(picture.objects);
  const known = new Map(
    objectsOf(picture, pods).map((pod) => [
      `${pod.metadata.namespace}/${pod.metadata.name}`,
      { node: pod.spec?.nodeName ?? "", workload: workloads.of(pod).name },
    ]),
  );
  const counts = new Map<string, number>();
  for (const { workload } of known.values()) counts.set(workload, (counts.get(workload) ?? 0) + 1);
  const incidents = auditIncidents(entries, {
    graceMs: defaultGraceMs(picture.minor),
    podOf: (namespace, name) => known.get(`${namespace}/${name}`),
    podsOf: (workload) => counts.get(workload) ?? 0,
  });
  return scenarioText(incidents, { file, cluster });
}

function scenarioText(incidents: Incidents, { file, cluster }: { file: string; cluster: string | undefined }): string {
  if (incidents.found.length === 0)
    throw new UnreadableSource(
      [`${file} shows no incident that a rehearsal can repeat`, ...incidents.leftOut.slice(0, 5)].join("; "),
    );
  return scenarioOf(incidents, { source: file, cluster });
}

/** Undefined if the file is not an audit log. */
function auditEntriesIn(file: string): AuditEntry[] | undefined {
  const text = textOf(file);
  if (!/"apiVersion"\s*:\s*"audit\.k8s\.io\//.test(text.slice(0, 4_096))) return undefined;
  const entries: AuditEntry[] = [];
  let wrong = 0;
  for (const event of eventsIn(text)) {
    if (event === undefined) wrong++;
    else {
      const entry = auditEntryOf(event);
      if (entry !== undefined) entries.push(entry);
    }
  }
  if (entries.length === 0)
    throw new UnreadableSource(
      `${file} is an audit log without a finished request${wrong > 0 ? ` and with ${wrong} lines that are not JSON` : ""}`,
    );
  return entries;
}

/** One event per line, or a list of events; a line that was cut off is undefined. */
function* eventsIn(text: string): Generator<Readonly<Record<string, unknown>> | undefined> {
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const value = valueOf(line);
    if (!isRecord(value)) yield undefined;
    else if (Array.isArray(value["items"])) yield* (value["items"] as unknown[]).filter(isRecord);
    else yield value;
  }
}

function valueOf(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > logBytesMax)
      throw new UnreadableSource(
        `${file} has ${Math.round(bytes.length / 2 ** 20)} MiB, more than ${logBytesMax / 2 ** 20}: cut it to the hours of the incident`,
      );
    return bytes.toString("utf8");
  } catch (cause) {
    if (cause instanceof UnreadableSource) throw cause;
    throw new UnreadableSource(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
