/** A query or path parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

export const pretty = query("pretty", "string", "Whether the output is indented for people.");
const dryRun = query("dryRun", "string", "All: the request goes through every stage except that nothing is stored.");
const fieldManager = query("fieldManager", "string", "Who or what makes the change.");
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What happens to unknown and duplicate fields: Ignore, Warn or Strict.",
);
const force = query("force", "boolean", "Whether an apply takes fields over from other managers.");

export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patchParameters: readonly Parameter[] = [...writeParameters, force];
export const selectorParameters: readonly Parameter[] = [
  query("fieldSelector", "string", "Only objects with these values in their fields."),
  query("labelSelector", "string", "Only objects with these labels."),
];
export const listParameters: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may carry bookmarks."),
  query("continue", "string", "Where a list in pages goes on, as the previous page said."),
  ...selectorParameters,
  query("limit", "integer", "How many objects a page has at most."),
  query("resourceVersion", "string", "What the answer must not be older than, or where a watch begins."),
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Whether a watch begins with what is there."),
  query("timeoutSeconds", "integer", "How long a list or watch may take."),
  query("watch", "boolean", "Whether changes follow the list."),
];
export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "How long the object may take to end."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
];
export const nameParameter: Parameter = path("name", "Name of the object.");
export const namespaceParameter: Parameter = path("namespace", "Namespace of the object.");

function query(name: string, type: Parameter["type"], description: string): Parameter {
  return { name, in: "query", type, description };
}

function path(name: string, description: string): Parameter {
  return { name, in: "path", type: "string", description };
}
