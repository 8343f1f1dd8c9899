import { type ApiObject, collectionPath, objectPath, textTable } from "@kintsugi/api";
import type { DiscoveredType } from "@kintsugi/client";
import { stringify } from "yaml";
import { findType, findTypes, qualified } from "./find-type.ts";
import type { KubectlCommand, KubectlTarget } from "./kubectl-command.ts";
import { ageOf, type KubectlWorld, type KubectlAnswer, told } from "./kubectl-world.ts";

/** The media types of kubectl's own requests for a table. */
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object?: Pick<ApiObject, "metadata"> }[];
}

type GetCommand = Extract<KubectlCommand, { is: "get" }>;

/** Prints `kubectl get`, of one kind or of several kinds. @throws ApiError, UnusableCommand */
export async function getObjects(command: GetCommand, world: KubectlWorld): Promise<KubectlAnswer> {
  const { target, output } = command;
  const types = findTypes(target.type, world.types);
  if (output === "table" || output === "wide") return told(await tablesLines(types, command, world));
  const found: { type: DiscoveredType; object: ApiObject }[] = [];
  for (const type of types)
    for (const object of await readObjects(world, type, { ...target, ...selectorsOf(command) }))
      found.push({ type, object });
  if (output === "name") return told(found.map(({ type, object }) => `${qualified(type)}/${object.metadata.name}`));
  const items = found.map(({ object }) => withoutManagers(object));
  const isOne = target.names.length === 1 && types.length === 1;
  const whole = isOne ? items[0] : { apiVersion: "v1", items, kind: "List" };
  const text = output === "json" ? JSON.stringify(whole, null, 4) : stringify(whole);
  return told(text.trimEnd().split("\n"));
}

/** A table for each kind that has objects; among several kinds each name has its kind in front. */
async function tablesLines(
  types: readonly DiscoveredType[],
  command: GetCommand,
  world: KubectlWorld,
): Promise<string[]> {
  const tables: string[][] = [];
  for (const type of types) {
    const lines = await tableLines(type, command, { world, before: types.length > 1 ? `${qualified(type)}/` : "" });
    if (lines.length > 0) tables.push(lines);
  }
  if (tables.length === 0) return types.slice(0, 1).map((type) => nothingFound(type, command.target));
  return tables.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

async function tableLines(
  type: DiscoveredType,
  { target, output, showsLabels, ...selectors }: GetCommand,
  { world, before }: { world: KubectlWorld; before: string },
): Promise<string[]> {
  const paths =
    target.names.length === 0
      ? [withSelectors(targetPath(type, target), selectors)]
      : target.names.map((name) => targetPath(type, target, name));
  const tables: Table[] = [];
  for (const path of paths) tables.push((await call(world, path, asTable)) as Table);
  const columns = tables[0]?.columnDefinitions ?? [];
  const shown = columns.flatMap(({ priority }, index) => (priority === 0 || output === "wide" ? [index] : []));
  const rows = tables.flatMap((table) => table.rows ?? []);
  if (rows.length === 0) return [];
  return textTable(
    [...shown.map((index) => (columns[index]?.name ?? "").toUpperCase()), ...(showsLabels ? ["LABELS"] : [])],
    rows.map(({ cells, object }) => [
      ...shown.map((index) => (index === 0 ? before : "") + cellText(cells[index])),
      ...(showsLabels ? [labelsText(object?.metadata.labels)] : []),
    ]),
  );
}

function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.toSorted().join(",");
}

function nothingFound({ namespaced }: DiscoveredType, { namespace, allNamespaces }: KubectlTarget): string {
  return namespaced && !allNamespaces ? `No resources found in ${namespace} namespace.` : "No resources found";
}

function cellText(cell: unknown): string {
  return typeof cell === "string" ? cell : cell === undefined || cell === null ? "" : JSON.stringify(cell);
}

/** Reads the objects of a target. @throws ApiError */
export async function readObjects(
  world: KubectlWorld,
  type: DiscoveredType,
  target: KubectlTarget & Partial<Selectors>,
): Promise<ApiObject[]> {
  if (target.names.length > 0) {
    const objects: ApiObject[] = [];
    for (const name of target.names) objects.push((await call(world, targetPath(type, target, name))) as ApiObject);
    return objects;
  }
  const { items } = (await call(world, withSelectors(targetPath(type, target), target))) as {
    items: ApiObject[];
  };
  return items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
}

function apiVersionOf({ group, version }: DiscoveredType): string {
  return group === "" ? version : `${group}/${version}`;
}

/** kubectl omits these objects as well. */
export function withoutManagers(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata as ApiObject["metadata"] & { managedFields?: unknown };
  return { ...object, metadata };
}

export function targetPath(type: DiscoveredType, { namespace, allNamespaces }: KubectlTarget, name = ""): string {
  if (name === "") return collectionPath(type, allNamespaces ? undefined : namespace);
  return objectPath(type, { namespace, name });
}

type Selectors = Pick<GetCommand, "selector" | "fieldSelector">;

function selectorsOf({ selector, fieldSelector }: Selectors): Selectors {
  return { selector, fieldSelector };
}

function withSelectors(path: string, { selector = "", fieldSelector = "" }: Partial<Selectors>): string {
  const query = new URLSearchParams({
    ...(selector === "" ? {} : { labelSelector: selector }),
    ...(fieldSelector === "" ? {} : { fieldSelector }),
  });
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export function call({ client, signal }: KubectlWorld, path: string, accept?: string): Promise<unknown> {
  return client.call({ method: "GET", path, signal, ...(accept === undefined ? {} : { accept }) });
}

interface EventObject extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly firstTimestamp?: string;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** Reads the events of a namespace, or of one object in it, oldest first. @throws ApiError */
async function readEvents(
  namespace: string,
  about: { kind: string; name: string } | undefined,
  world: KubectlWorld,
): Promise<EventObject[]> {
  const fields =
    about === undefined
      ? ""
      : `?fieldSelector=${encodeURIComponent(`involvedObject.kind=${about.kind},involvedObject.name=${about.name}`)}`;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events${fields}`;
  const { items } = (await call(world, path)) as { items: EventObject[] };
  return items.toSorted((left, right) => lastOf(left).localeCompare(lastOf(right)));
}

function lastOf({ lastTimestamp, eventTime, firstTimestamp }: EventObject): string {
  return lastTimestamp ?? eventTime ?? firstTimestamp ?? "";
}

/** Prints `kubectl events`. @throws ApiError, UnusableCommand */
export async function listEvents(
  { namespace, about }: Extract<KubectlCommand, { is: "events" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const [word = "", name = ""] = about.split("/");
  const type = about === "" ? undefined : findType(word, world.types);
  const events = await readEvents(namespace, type && { kind: type.kind, name }, world);
  if (events.length === 0) return told([`No events found in ${namespace} namespace.`]);
  const nowMs = world.clock.nowMs();
  return told(
    textTable(
      ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
      events.map((event) => [
        ageOf(lastOf(event), nowMs),
        event.type ?? "",
        event.reason ?? "",
        `${event.involvedObject?.kind ?? ""}/${event.involvedObject?.name ?? ""}`,
        event.message ?? "",
      ]),
    ),
  );
}

/** The part of `kubectl describe` about events. @throws ApiError */
export async function eventLines(type: DiscoveredType, object: ApiObject, world: KubectlWorld): Promise<string[]> {
  const about = { kind: type.kind, name: object.metadata.name ?? "" };
  const events = await readEvents(object.metadata.namespace ?? "default", about, world);
  if (events.length === 0) return ["Events:  <none>"];
  const nowMs = world.clock.nowMs();
  const rows = events.map((event) => [
    event.type ?? "",
    event.reason ?? "",
    (event.count ?? 1) > 1
      ? `${ageOf(lastOf(event), nowMs)} (x${event.count} over ${ageOf(event.firstTimestamp, nowMs)})`
      : ageOf(lastOf(event), nowMs),
    event.source?.component ?? event.reportingComponent ?? "",
    event.message ?? "",
  ]);
  const header = ["Type", "Reason", "Age", "From", "Message"];
  const lines = textTable(header, [header.map((word) => "-".repeat(word.length)), ...rows], { gap: 2 });
  return ["Events:", ...lines.map((line) => `  ${line}`)];
}
