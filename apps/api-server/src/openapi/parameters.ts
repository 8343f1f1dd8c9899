/** A query or path parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

export const pretty = query("pretty", "string", "Whether the output is indented for human readers.");
const dryRun = query("dryRun", "string", "All: every stage of the request is performed, but nothing is stored.");
const fieldManager = query("fieldManager", "string", "Name of the client that makes the change.");
const fieldValidation = query(
  "fieldValidation",
  "string",
  "Treatment of unknown and duplicate fields: Ignore, Warn or Strict.",
);
const force = query("force", "boolean", "Whether an apply takes fields over from other managers.");

export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patchParameters: readonly Parameter[] = [...writeParameters, force];
export const selectorParameters: readonly Parameter[] = [
  query("fieldSelector", "string", "Selector of objects by the values of their fields."),
  query("labelSelector", "string", "Selector of objects by their labels."),
];
export const listParameters: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks."),
  query("continue", "string", "Token of the previous page, at which a paged list continues."),
  ...selectorParameters,
  query("limit", "integer", "Largest number of objects in a page."),
  query(
    "resourceVersion",
    "string",
    "Oldest revision that the response may show, or the revision at which a watch begins.",
  ),
  query("resourceVersionMatch", "string", "Meaning of resourceVersion: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Whether a watch begins with the existing objects."),
  query("timeoutSeconds", "integer", "Longest duration of a list or watch."),
  query("watch", "boolean", "Whether later changes are streamed after the list."),
];
export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Time that the object has to terminate gracefully, in seconds."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "Treatment of dependents: Orphan, Background or Foreground."),
];
export const nameParameter: Parameter = path("name", "Name of the object.");
export const namespaceParameter: Parameter = path("namespace", "Namespace of the object.");

function query(name: string, type: Parameter["type"], description: string): Parameter {
  return { name, in: "query", type, description };
}

function path(name: string, description: string): Parameter {
  return { name, in: "path", type: "string", description };
}
