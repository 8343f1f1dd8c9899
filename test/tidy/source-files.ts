import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export const repository = join(import.meta.dirname, "../..");

export interface SourceFile {
  /** The path from the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every workspace: "packages/clock", "apps/kubelet". */
export function workspaces(): string[] {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(repository, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${group}/${entry.name}`),
  );
}

/** The TypeScript files below a folder, including .tsx files, or files with another extension. */
export function sourceFiles(folder: string, ending = ".ts"): SourceFile[] {
  const found: SourceFile[] = [];
  const endings = ending === ".ts" ? [".ts", ".tsx"] : [ending];
  const visit = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !isSkipped(entry.name)) visit(path);
      else if (entry.isFile() && endings.some((each) => entry.name.endsWith(each))) {
        found.push({ path: relative(repository, path), text: readFileSync(path, "utf8") });
      }
    }
  };
  visit(join(repository, folder));
  return found;
}

/**
 * A folder of generated files, or a folder that lint-rules.test.ts has created while other tests
 * read.
 */
function isSkipped(folder: string): boolean {
  return ["node_modules", "dist", "bundle", ".turbo"].includes(folder) || folder.startsWith("planted-");
}

/** The module specifiers that a file imports or re-exports from, including type-only imports. */
export function importsOf(text: string): string[] {
  const specifiers: string[] = [];
  const forms = /(?:^|\n)\s*(?:import|export)\s(?:[^"';]*?\sfrom\s*)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;
  for (const match of text.matchAll(forms)) specifiers.push(match[1] ?? match[2] ?? "");
  return specifiers;
}
