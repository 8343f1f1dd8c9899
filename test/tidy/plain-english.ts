import type { SourceFile } from "./source-files.ts";

/**
 * Words with which a comment or description opens when it is a fragment: a bare preposition, or a
 * question word.
 */
export const bareOpenings: ReadonlySet<string> = new Set(
  [
    "About Above After Against Along Among As At Away Before Below Beside Between Beyond By Down During For From In Inside",
    "Into Of Off On Onto Out Outside Over Since Through Till To Toward Towards Under Until Up Upon With Within Without",
    "How What Whatever When Whenever Where Wherever Whether Which Whichever Who Whoever Whom Whose Why",
  ].flatMap((line) => line.split(" ")),
);

/** Number of columns that a reader's editor shows next to the tree of files. */
export const commentColumnsMax = 100;

/** One count for each rule of plain English that a program can check. */
export interface EnglishCounts {
  /** Comments that open with a bare preposition or a question word. */
  openings: number;
  /** Vague words for persons, in comments and in documents. */
  persons: number;
  /** Help strings that end with a full stop. */
  stops: number;
  /** Lines of comments, and of sentences in documents, over `commentColumnsMax` columns. */
  long: number;
}

export const englishRules = ["openings", "persons", "stops", "long"] as const;

const persons = /\b(?:whoever|whomever|nobody|somebody)\b/gi;

/** Counts the violations of a source file or a document. */
export function englishCounts({ path, text }: SourceFile): EnglishCounts {
  if (path.endsWith(".md"))
    return { openings: 0, persons: (text.match(persons) ?? []).length, stops: 0, long: longLinesOfDocument(text) };
  const comments = [...text.matchAll(comment)].map(({ 0: whole, index }) => ({
    words: whole.replace(/^[\s/*]+/, ""),
    lines: linesOf(text, index, index + whole.length),
  }));
  return {
    openings: comments.filter(({ words }) => bareOpenings.has(/^[A-Za-z]+/.exec(words)?.[0] ?? "")).length,
    persons: comments.flatMap(({ words }) => words.match(persons) ?? []).length,
    stops: (text.match(helpWithStop) ?? []).length,
    long: comments.flatMap(({ lines }) => lines.filter((line) => line.length > commentColumnsMax)).length,
  };
}

/**
 * Comments that begin a line, and comments after code on a line; the slashes of a URL in a string
 * are not followed by a space.
 */
const comment = /(?<=^[ \t]*)\/\*[\s\S]*?\*\/|(?<=^|[ \t])\/\/ [^\n]*/gm;

/** Help of flags and commands; metrics have upstream's help, which often ends with a full stop. */
const helpWithStop = /\bflag\.\w+\((?:[^()]|\([^()]*\))*?\bhelp:\s*"[^"]*\."/g;

/**
 * Counts the long lines of a document's sentences. Code, tables, headings, links and HTML may be
 * wide.
 */
function longLinesOfDocument(text: string): number {
  const sentences = text.replaceAll(/^([ \t]*```+)[^\n]*\n[\s\S]*?^\1[ \t]*$/gm, "").split("\n");
  const wide = /^(?:\||#|<| {4})|\]\(|https?:/;
  return sentences.filter((line) => line.length > commentColumnsMax && !wide.test(line) && hasBreak(line)).length;
}

/** Reports whether a line could be wrapped: code spans cannot be broken. */
function hasBreak(line: string): boolean {
  return /\S \S/.test(line.replaceAll(/`[^`]*`/g, (code) => code.replaceAll(" ", "_")).slice(0, commentColumnsMax));
}

/** Returns the whole lines of a comment, including code before it. */
function linesOf(text: string, start: number, end: number): string[] {
  const from = text.lastIndexOf("\n", start) + 1;
  return text.slice(from, end).split("\n");
}
