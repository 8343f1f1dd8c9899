// Generates the types of kintsugi/testing in the npm package, and the page that documents them,
// from the sources of packages/testing and of the workspaces whose types it names. The npm package
// does not contain these workspaces, so one file has the types and imports nothing.
//
//   npx tsx tools/package/testing-types.ts     writes both files again
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const entry = join(root, "packages/testing/src/index.ts");

/** Types that come from schemas, and classes, as a user of the library sees them. */
const replaced: Readonly<Record<string, string>> = {
  ObjectMeta: `/** The metadata of an object; a suite that wants more types casts to its own. */
export interface ObjectMeta {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  finalizers?: string[] | undefined;
  ownerReferences?: OwnerReference[] | undefined;
}`,
  OwnerReference: `export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}`,
  ApiError: `/** The API refused a call. */
export interface ApiError extends Error {
  /** "NotFound", "Conflict", … */
  readonly reason: StatusReason;
  readonly code: number;
}`,
  OnFollow: `/** A hook for tests of the clients themselves. */
export type OnFollow = (...given: never[]) => void;`,
  StatusReason: `export type StatusReason = string;`,
  ReasonCode: `/** "Unschedulable", "BackOff", …; docs/design/explain.md lists them. */
export type ReasonCode = string;`,
  TimerName: `export type TimerName = string;`,
  Trouble: `/** One fault of an explored run. */
export interface Trouble {
  readonly what: string;
  readonly atMs: number;
  readonly forMs: number;
}`,
};

export interface Declaration {
  readonly name: string;
  /** The text of a type file, including its comment. */
  readonly text: string;
  /** Exported by the library; the other declarations are named by an exported declaration. */
  readonly isExported: boolean;
}

/** The exported declarations of the library, and the declarations that they name. */
export function testingDeclarations(): readonly Declaration[] {
  const found = new Map<string, Declaration>();
  const add = (name: string, file: string, isExported: boolean) => {
    if (found.has(name)) return;
    const place = replaced[name] === undefined ? placeOf(name, file) : undefined;
    const text = replaced[name] ?? (place && declarationIn(place));
    // Names of the language and of Node.js have no declaration here.
    if (text === undefined) return;
    found.set(name, { name, text, isExported });
    const words = new Set(withoutComments(text).match(/\b[A-Z]\w*\b/g));
    for (const word of words) if (word !== name) add(word, place?.file ?? entry, false);
  };
  for (const name of exportsOf(entry)) add(name, entry, true);
  return [...found.values()];
}

/** The file of types of the npm package. */
export function testingTypes(): string {
  const head = [
    "// The types of kintsugi/testing in the npm package. tools/package/testing-types.ts makes this file",
    "// from the sources of packages/testing: change those, and run it.",
  ];
  return `${[head.join("\n"), ...testingDeclarations().map(({ text }) => text)].join("\n\n")}\n`;
}

/** The page of the library. */
export function testingPage(): string {
  const all = testingDeclarations();
  const section = ({ name, text }: Declaration) => {
    const { comment, code } = parted(text);
    return [`### ${name}`, ...(comment === "" ? [] : [comment]), `\`\`\`ts\n${code}\n\`\`\``].join("\n\n");
  };
  return [
    "# The library `kintsugi/testing`",
    [
      "[Test an operator](recipes/test-an-operator.md) shows how to use it. `npx tsx",
      "tools/package/testing-types.ts` makes this page from the types of",
      "[packages/testing](../packages/testing/README.md).",
    ].join("\n"),
    "## Exports",
    ...all.filter(({ isExported }) => isExported).map(section),
    "## Types that the exports name",
    ...all.filter(({ isExported }) => !isExported).map(section),
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/, "\n");
}

interface Place {
  readonly file: string;
  readonly name: string;
}

/** The file that declares a name which `file` declares, imports or re-exports. */
function placeOf(name: string, file: string): Place | undefined {
  if (declarationIn({ file, name }) !== undefined) return { file, name };
  for (const [, names = "", from = ""] of read(file).matchAll(
    /^(?:import|export) (?:type )?\{([^}]*)\} from "([^"]+)";/gm,
  )) {
    for (const each of names.split(",")) {
      const [theirs = "", ours = theirs] = each
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      const target = ours === name ? fileOf(from, file) : undefined;
      const place = target === undefined ? undefined : placeOf(theirs, target);
      if (place !== undefined) return place;
    }
  }
  for (const [, from = ""] of read(file).matchAll(/^export (?:type )?\* from "([^"]+)";/gm)) {
    const target = fileOf(from, file);
    const place = target === undefined ? undefined : placeOf(name, target);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The file of a module of this repository; undefined for other modules. */
function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(importer), specifier);
  const [, name, path = ""] = /^@kintsugi\/([^/]+)(\/.+)?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const folder = ["packages", "apps"].map((kind) => join(root, kind, name)).find((each) => existsSync(each));
  if (folder === undefined) return undefined;
  const manifest = JSON.parse(read(join(folder, "package.json"))) as {
    exports: Readonly<Record<string, { "@kintsugi/source": string }>>;
  };
  const source = manifest.exports[`.${path}`]?.["@kintsugi/source"];
  return source === undefined ? undefined : join(folder, source);
}

const comment = String.raw`(?:^/\*\*(?:(?!\*/)[\s\S])*\*/\n)?`;

/** The text of a declaration, without the body of a function or the value of a constant. */
function declarationIn({ file, name }: Place): string | undefined {
  const found = (pattern: string) => new RegExp(`${comment}${pattern}`, "m").exec(read(file))?.[0];
  const type =
    found(String.raw`^(?:export )?interface ${name}\b[^\n]*(?:\{\}|\{\n[\s\S]*?\n\})$`) ??
    // The line after the last line of a type does not belong to the type.
    found(String.raw`^(?:export )?type ${name}\b[\s\S]*?;$(?!\n[ }])`);
  if (type !== undefined) return type.replace(/^(?:export )?(interface|type) /m, "export $1 ");
  const made = found(String.raw`^export (?:async )?function ${name}\b[\s\S]*?\{$`);
  if (made !== undefined) return signature(made);
  const constant = found(String.raw`^export const ${name}: [^=]+ =`);
  return constant?.replace(/^export const/m, "export declare const").replace(/ =$/, ";");
}

/** "export declare function startCluster(options?: ClusterOptions): Promise<TestCluster>;" */
function signature(head: string): string {
  return head
    .replace(/^export (?:async )?function/m, "export declare function")
    .replaceAll(/(\w+)(: [^=,()]+) = \{\}/g, "$1?$2")
    .replace(/ \{$/, ";");
}

function exportsOf(file: string): readonly string[] {
  const lists = [...read(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
  return lists
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "");
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, "").replaceAll(/"[^"\n]*"/g, '""');
}

/** The comment of a declaration as a paragraph, and the code below it. */
function parted(text: string): { comment: string; code: string } {
  const [whole = "", inside = ""] = /^\/\*\*([\s\S]*?)\*\/\n/.exec(text) ?? [];
  const lines = inside.split("\n").map((line) => line.trim().replace(/^\*\s?/, ""));
  const paragraph = lines
    .join(" ")
    .trim()
    .replaceAll(/ ?@throws (\w+)/g, "\n\nThrows `$1`")
    .trim();
  return { comment: paragraph.split("\n\n").map(wrapped).join("\n\n"), code: text.slice(whole.length) };
}

function wrapped(paragraph: string): string {
  return paragraph.replaceAll(/(?=.{101})(.{1,100}) /g, "$1\n");
}

const texts = new Map<string, string>();

function read(file: string): string {
  const known = texts.get(file) ?? readFileSync(file, "utf8");
  texts.set(file, known);
  return known;
}

export const typesFile = join(root, "tools/package/testing.d.mts");
export const pageFile = join(root, "docs/testing-library.md");

if (process.argv[1] === import.meta.filename) {
  writeFileSync(typesFile, testingTypes());
  writeFileSync(pageFile, testingPage());
}
