import { yamlTokens } from "@kintsugi/yaml-text";
import { Composer, type Document, isScalar, LineCounter, visit } from "yaml";
import { observedKind, observedOf, rehearsalVersion } from "./observed-lines.ts";
import {
  isRawObject,
  isRecord,
  type ListedKind,
  type RawDocuments,
  type RawObject,
  type RecordedChange,
} from "./raw-object.ts";
import { UnreadableSource } from "./unreadable.ts";

/**
 * A megabyte of YAML takes one to two seconds (docs/design/rehearsal.md), so a larger file takes
 * longer than people wait. JSON has no limit.
 */
const yamlBytesMax = 8 * 1024 * 1024;
/**
 * A repeated node of YAML counts again each time, and each alias takes a walk through the document.
 * More aliases are an attack or a mistake.
 */
const aliasesMax = 100;
/** The objects of Kubernetes are not nested deeper. */
const yamlDepthMax = 200;
/** `{{ .Values.name }}` of a chart that was not rendered. */
const templatePattern = /\{\{[-\s]*[.\w]/;
/** `kubectl get` nests lists one level deep; deeper lists are not its output. */
const listDepthMax = 4;

/** The kind under which `rehearse` and its dump command write a list that was refused. */
export const refusedListKind = "RefusedList";

/**
 * Reads the objects in text: JSON or YAML, one document or many, lists or single objects.
 * @throws UnreadableSource with the place of the fault.
 */
export function readDocuments(text: string, name: string): RawDocuments {
  const objects: RawObject[] = [];
  const listed: ListedKind[] = [];
  const observed: RecordedChange[] = [];
  for (const document of documentsIn(text, name)) collect(document, { name, objects, listed, observed, depth: 0 });
  return observed.length === 0 ? { objects, listed } : { objects, listed, observed };
}

interface Collecting {
  readonly name: string;
  readonly objects: RawObject[];
  readonly listed: ListedKind[];
  readonly observed: RecordedChange[];
  readonly depth: number;
}

function collect(document: unknown, into: Collecting): void {
  const { name, objects, listed, observed, depth } = into;
  if (document === null || document === undefined) return;
  if (!isRecord(document))
    throw new UnreadableSource(
      `${name}: a document is ${nameOf(document)}, not an object of the API: give the output of kubectl, or manifests`,
    );
  const { apiVersion, kind, items } = document;
  if (typeof kind !== "string" || typeof apiVersion !== "string")
    throw new UnreadableSource(
      `${name}: ${placeOf(document)} has no "kind" or no "apiVersion": if the file was cut off, write it again, or remove the part that is not an object of the API`,
    );
  if (kind === observedKind && apiVersion === rehearsalVersion) {
    const change = observedOf(document);
    if (change === undefined) throw new UnreadableSource(`${name}: a line of the record has no time or no object`);
    observed.push(change);
    return;
  }
  if (kind === refusedListKind) {
    const { of, because } = document;
    if (isRawObject(of))
      listed.push({
        apiVersion: of.apiVersion,
        kind: of.kind,
        refused: typeof because === "string" ? because : "",
      });
    return;
  }
  // `kubectl cluster-info dump` writes an empty list of a namespace with "items": null.
  const isEmptyList = items === null && kind.endsWith("List");
  if (kind === "List" && !isEmptyList && !Array.isArray(items))
    throw new UnreadableSource(`${name}: a List has no list of items: write it again`);
  if (!isEmptyList && (!Array.isArray(items) || !kind.endsWith("List"))) {
    objects.push(document as RawObject);
    return;
  }
  if (depth >= listDepthMax)
    throw new UnreadableSource(`${name}: lists are nested more than ${listDepthMax} levels deep`);
  const itemKind = kind.slice(0, -"List".length);
  if (itemKind !== "") listed.push({ apiVersion, kind: itemKind });
  // Items of a list that the API itself wrote have neither kind nor version.
  for (const item of (items ?? []) as unknown[])
    collect(isRecord(item) && itemKind !== "" ? { apiVersion, kind: itemKind, ...item } : item, {
      ...into,
      depth: depth + 1,
    });
}

function documentsIn(text: string, name: string): readonly unknown[] {
  const start = text.search(/\S/);
  if (start < 0) throw new UnreadableSource(`${name} is empty because the command that wrote it failed`);
  return text[start] === "{" || text[start] === "[" ? jsonIn(text, name) : yamlIn(text, name);
}

/** One value, or several values in sequence. */
function jsonIn(text: string, name: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown[]) : [value];
  } catch (error) {
    const values = severalValues(text) ?? severalValues(wholeLines(text));
    if (values !== undefined) return values;
    if (isCutOff(text))
      throw new UnreadableSource(`${name} ends in the middle of an object: it was cut off, so write it again`, {
        cause: error,
      });
    throw new UnreadableSource(`${name} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** A record is valid up to its last line, in the middle of which a machine may have failed. */
function wholeLines(text: string): string {
  return text.includes(`"kind":"${observedKind}"`) ? text.slice(0, text.lastIndexOf("\n") + 1) : "";
}

/** Splits values in sequence; undefined if a value is not JSON. */
function severalValues(text: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  try {
    for (const part of valueTexts(text)) values.push(JSON.parse(part));
  } catch {
    return undefined;
  }
  return values.length > 1 ? values : undefined;
}

function* valueTexts(text: string): Generator<string> {
  let depth = 0;
  let start = -1;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inText) {
      if (letter === "\\") at++;
      else if (letter === '"') inText = false;
      continue;
    }
    if (letter === '"') inText = true;
    if (letter === "{" || letter === "[") {
      if (depth++ === 0) start = at;
    } else if ((letter === "}" || letter === "]") && --depth === 0) yield text.slice(start, at + 1);
  }
  if (depth !== 0) throw new SyntaxError("a value has no end");
}

function isCutOff(text: string): boolean {
  try {
    for (const _ of valueTexts(text));
    return false;
  } catch {
    return true;
  }
}

function yamlIn(text: string, name: string): readonly unknown[] {
  if (text.length > yamlBytesMax)
    throw new UnreadableSource(
      `${name} is ${Math.round(text.length / 2 ** 20)} MiB of YAML, and at most ${yamlBytesMax / 2 ** 20} MiB are read: write it as JSON (\`-o json\`), which has no such limit, or move the file out of the directory`,
    );
  const lines = new LineCounter();
  // The library compares each key with all other keys of its map: 40,000 keys take 40 s.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false });
  const errorOf = () =>
    new UnreadableSource(
      `${name} is not valid YAML: its lists or maps are nested more than ${yamlDepthMax} levels deep`,
    );
  return [...composer.compose(yamlTokens(text, { lines, depthMax: yamlDepthMax, errorOf }))].map((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      const hint = templatePattern.test(text) ? "; it looks like a template, so render it first (`helm template`)" : "";
      throw new UnreadableSource(`${name} is not valid YAML: ${error.message} at line ${line}, column ${col}${hint}`, {
        cause: error,
      });
    }
    const fault = faultIn(document);
    if (fault !== undefined) throw new UnreadableSource(`${name} is not valid YAML: ${fault}`);
    try {
      return document.toJS({ maxAliasCount: aliasesMax }) as unknown;
    } catch (cause) {
      throw new UnreadableSource(`${name} is not valid YAML: ${expansionFault(cause as Error)}`, { cause });
    }
  });
}

function expansionFault({ message }: Error): string {
  return message.includes("Excessive alias count")
    ? "its aliases expand to too many objects: write the objects without aliases"
    : message;
}

/** Reports a duplicate key of a map, or too many aliases, as a sentence. */
function faultIn(document: Document): string | undefined {
  let [aliases, fault]: [number, string | undefined] = [0, undefined];
  visit(document, {
    Alias: () => {
      aliases++;
      if (aliases <= aliasesMax) return undefined;
      fault = `it has more than ${aliasesMax} aliases`;
      return visit.BREAK;
    },
    Map: (_key, { items }) => {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (keys.has(value)) fault = `the key ${JSON.stringify(value)} occurs twice in a map`;
        keys.add(value);
      }
      return fault === undefined ? undefined : visit.BREAK;
    },
  });
  return fault;
}

/** The name of an object without a kind, by which a person finds it in a long file. */
function placeOf({ metadata, kind, apiVersion: _apiVersion, ...rest }: Readonly<Record<string, unknown>>): string {
  const { name } = isRecord(metadata) ? metadata : {};
  if (typeof name === "string" && name !== "") return `the object named ${JSON.stringify(name)}`;
  if (typeof kind === "string") return `a ${JSON.stringify(kind)}`;
  const keys = Object.keys(rest).slice(0, 3);
  return keys.length === 0 ? "an object" : `an object with ${keys.map((key) => JSON.stringify(key)).join(", ")}`;
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
