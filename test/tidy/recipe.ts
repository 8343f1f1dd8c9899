import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./source-files.ts";

/** The code of a recipe: whole files, and lines that are added to existing files. */
export interface Recipe {
  readonly files: readonly { path: string; text: string }[];
  readonly additions: readonly { path: string; lines: readonly AddedLine[] }[];
}

interface AddedLine {
  text: string;
  /** The line of the file after which it is inserted. */
  after: string;
}

/** Reads the code of docs/recipes/<name>.md: the first line of each block names the file. */
export function readRecipe(name: string): Recipe {
  const text = readFileSync(join(repository, "docs/recipes", `${name}.md`), "utf8");
  const blocks = [...text.matchAll(/^```(ts|diff)\n ?\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, kind, path = "", body = ""]) => ({ kind, path, body }),
  );
  return {
    files: blocks.filter(({ kind }) => kind === "ts").map(({ path, body }) => ({ path, text: body })),
    additions: blocks
      .filter(({ kind }) => kind === "diff")
      .map(({ path, body }) => ({ path, lines: addedLines(body) })),
  };
}

/**
 * The text of a file with the lines of a recipe. @throws if a line after which a line is inserted
 * does not occur exactly once.
 */
export function withLines(text: string, lines: readonly AddedLine[]): string {
  let result = text;
  for (const { text: added, after } of lines) {
    const parts = result.split(`${after}\n`);
    if (parts.length !== 2) throw new Error(`the line ${JSON.stringify(after)} stands there ${parts.length - 1} times`);
    result = `${parts[0]}${after}\n${added}\n${parts[1]}`;
  }
  return result;
}

/** The runs of added lines, each after the line above it. */
function addedLines(body: string): AddedLine[] {
  const runs: AddedLine[] = [];
  let [above, isAdded] = ["", false];
  for (const line of body.split("\n").filter((text) => text !== "")) {
    const text = line.slice(1);
    const last = runs.at(-1);
    if (!line.startsWith("+")) [above, isAdded] = [text, false];
    else if (isAdded && last !== undefined) last.text += `\n${text}`;
    else {
      runs.push({ text, after: above });
      isAdded = true;
    }
  }
  return runs;
}
