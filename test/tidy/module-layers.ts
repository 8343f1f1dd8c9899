import { posix } from "node:path";
import { moduleLayers } from "./modules.ts";
import { importsOf, type SourceFile } from "./source-files.ts";

/** The entry points of a workspace and its wiring are files directly in src. */
const topLevel = "src";

/**
 * Every import of `file` that points upward, with the rule. A file outside of all modules is also a
 * violation.
 */
export function moduleViolations(file: SourceFile): string[] {
  const place = placeOf(file.path);
  if (!place || place.isOutside) return [];
  const { workspace, layer, module } = place;
  if (module === undefined) return [`${file.path}: stands in no module of test/tidy/modules.ts`];
  return relativeImportsOf(file).flatMap((target) => {
    const other = placeOf(target);
    if (module === topLevel || other?.workspace !== workspace || other.isOutside || other.module === module) return [];
    if (other.module === topLevel) return [`${file.path}: imports ${target}: no module imports the wiring above it`];
    const isBelow = other.layer >= 0 && other.layer <= layer;
    return isBelow ? [] : [`${file.path}: imports ${target}: ${other.module} is not below ${module}`];
  });
}

/** Groups of files with circular imports, including types; each in the order of their names. */
export function importCircles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, relativeImportsOf(file)]));
  const circles = new Map<string, string[]>();
  const reached = new Map([...targets.keys()].map((path) => [path, reachable(path, targets)]));
  for (const [path, others] of reached) {
    if (!others.has(path)) continue;
    const circle = [...others].filter((other) => reached.get(other)?.has(path)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()].sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

/** Lists the files that a file imports by a relative path, as paths of the repository. */
function relativeImportsOf({ path, text }: SourceFile): string[] {
  return importsOf(text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(path), specifier));
}

/** All files that imports reach from `start`; `start` itself only if an import leads back to it. */
function reachable(start: string, targets: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const open = [...(targets.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(targets.get(next) ?? []));
  }
  return found;
}

interface Place {
  readonly workspace: string;
  /** The number of the module's layer, from the bottom up; -1 on the top level. */
  readonly layer: number;
  /**
   * The innermost module of the table, or the top level; undefined for a folder that the table does
   * not name.
   */
  readonly module: string | undefined;
  /** Tests and simulated parts may import every module. */
  readonly isOutside: boolean;
}

/** Finds the module of a file; undefined in a workspace without layers. */
function placeOf(path: string): Place | undefined {
  const [group, name, source, ...below] = path.split("/");
  const workspace = `${group}/${name}`;
  const rows = moduleLayers[workspace];
  if (!rows || source !== "src") return undefined;
  const inside = below.join("/");
  const module = rows
    .filter((each) => inside === each || inside.startsWith(`${each}/`))
    .sort((a, b) => b.length - a.length)[0];
  return {
    workspace,
    layer: module === undefined ? -1 : rows.indexOf(module),
    module: module ?? (below.length === 1 ? topLevel : undefined),
    isOutside:
      path.endsWith(".test.ts") ||
      ["testing", "simulated", "bench"].some((folder) => below.slice(0, -1).includes(folder)),
  };
}
