import { posix } from "node:path";
import { floors } from "./rooms.ts";
import { importsOf, type SourceFile } from "./source-files.ts";

/** The entry points of a workspace and its wiring are files directly in src. */
const roof = "src";

/** Every import of `file` that leads up, with the rule; also a file that stands in no room. */
export function floorViolations(file: SourceFile): string[] {
  const place = placeOf(file.path);
  if (!place || place.isOutside) return [];
  const { workspace, floor, room } = place;
  if (room === undefined) return [`${file.path}: stands in no room of test/tidy/rooms.ts`];
  return relativeImportsOf(file).flatMap((target) => {
    const other = placeOf(target);
    if (room === roof || other?.workspace !== workspace || other.isOutside || other.room === room) return [];
    if (other.room === roof) return [`${file.path}: imports ${target}: no room imports the wiring above it`];
    const isBelow = other.floor >= 0 && other.floor <= floor;
    return isBelow ? [] : [`${file.path}: imports ${target}: ${other.room} is not below ${room}`];
  });
}

/**
 * Groups of files that import each other in a circle, types included; each in the order of their
 * names.
 */
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

/** All files to which imports lead from `start`; `start` itself only where one leads back. */
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
  /** The number of the room's floor, from the ground up; -1 on the roof. */
  readonly floor: number;
  /**
   * The innermost room of the table, or the roof; undefined for a folder that the table does not
   * name.
   */
  readonly room: string | undefined;
  /** Tests and test doubles look into every room. */
  readonly isOutside: boolean;
}

/** Finds the room of a file; undefined in a workspace without floors. */
function placeOf(path: string): Place | undefined {
  const [group, name, source, ...below] = path.split("/");
  const workspace = `${group}/${name}`;
  const rows = floors[workspace];
  if (!rows || source !== "src") return undefined;
  const inside = below.join("/");
  const room = rows
    .flat()
    .filter((each) => inside === each || inside.startsWith(`${each}/`))
    .sort((a, b) => b.length - a.length)[0];
  return {
    workspace,
    floor: rows.findIndex((row) => room !== undefined && [row].flat().includes(room)),
    room: room ?? (below.length === 1 ? roof : undefined),
    isOutside: path.endsWith(".test.ts") || ["testing", "bench"].some((folder) => below.slice(0, -1).includes(folder)),
  };
}
