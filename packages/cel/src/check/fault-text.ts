import type { CheckFault } from "./check-expression.ts";

interface Source {
  readonly text: string;
  /** Offsets of the nodes of the syntax tree, by their numbers. */
  readonly positions: Readonly<Record<string, number>>;
}

/**
 * Writes a fault as upstream's library does, with the line of the fault:
 *   ERROR: <input>:1:8: undefined field 'b'
 *    | request.b
 *    | .......^
 */
export function faultText({ id, message, atCall }: CheckFault, { text, positions }: Source): string {
  const from = positions[String(id)] ?? 0;
  // The parser counts the blanks before an operator as part of the operator.
  const start = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
  const bracket = atCall ? text.indexOf("(", start) : -1;
  return placedText(message, text, bracket < 0 ? start : bracket);
}

/** Writes the error of the parser for a string. */
export function syntaxFaultText(error: unknown, text: string): string {
  const {
    message,
    rawMessage = message,
    location,
  } = error as Error & {
    rawMessage?: string;
    location?: { start: { offset: number } };
  };
  return placedText(`Syntax error: ${rawMessage}`, text, location?.start.offset ?? 0);
}

function placedText(message: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  const column = before.at(-1)?.length ?? 0;
  const line = text.split("\n")[before.length - 1] ?? "";
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${".".repeat(column)}^`;
}
