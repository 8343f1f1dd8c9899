/** A longer file does not fit into a process's environment; a ConfigMap has the same limit. */
export const envFileBytesMax = 1024 * 1024;

/** The text of a file is not a valid env file. */
export class EnvFileError extends Error {}

// The syntax is the unambiguous part of a POSIX shell's syntax (pkg/kubelet/util/env):
//
//   # a comment, and empty lines
//     NAME='a value, that may continue
//   over several lines, with $ and \ unchanged'   # a comment
//
// The value of NAME is the text between the quotes.

/**
 * Finds the value of a key; undefined where no line of the file has it. As in upstream's ParseEnv,
 * lines after the key's line are not checked.
 * @throws EnvFileError that names the line, for an invalid line before it.
 */
export function findInEnvFile(text: string, key: string): string | undefined {
  let lineNumber = 1;
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end).replace(/^[ \t]+/, "");
    if (line.trim() === "" || line.startsWith("#")) {
      at = end + 1;
      lineNumber++;
      continue;
    }
    const opening = openingQuote(line, lineNumber);
    const from = end - line.length + opening.quoteAt + 1;
    const to = text.indexOf("'", from);
    if (to === -1) throw fault(lineNumber, "the single quote is not closed");
    const lineEnd = endOfLine(text, to);
    const value = text.slice(from, to);
    lineNumber += value.split("\n").length - 1;
    const rest = text.slice(to + 1, lineEnd);
    if (!/^\s*$|^\s+#/.test(rest)) throw fault(lineNumber, "unexpected content after closing quote");
    if (opening.name === key) return value;
    at = lineEnd + 1;
    lineNumber++;
  }
  return undefined;
}

function openingQuote(line: string, lineNumber: number): { name: string; quoteAt: number } {
  const equals = line.indexOf("=");
  if (equals <= 0) throw fault(lineNumber, "a line is NAME='value'");
  const name = line.slice(0, equals);
  if (/\s$/.test(name)) throw fault(lineNumber, "whitespace before '=' is not allowed");
  if (/^\s/.test(line.slice(equals + 1))) throw fault(lineNumber, "whitespace after '=' is not allowed");
  if (line[equals + 1] !== "'") throw fault(lineNumber, "value must be enclosed in single quotes");
  return { name, quoteAt: equals + 1 };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function fault(lineNumber: number, because: string): EnvFileError {
  return new EnvFileError(`invalid environment variable format at line ${lineNumber}: ${because}`);
}
