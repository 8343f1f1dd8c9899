/** One fault of a string. */
export interface Problem {
  /** The place, both numbers from 1; absent where the text cannot show it. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** A file with faults, all of which it names. */
export class InvalidFile extends Error {
  override readonly name = "InvalidFile";
  readonly problems: readonly Problem[];

  /** @param source the text's name in messages: its file. */
  constructor(source: string, problems: readonly Problem[]) {
    super(problems.map((problem) => describe(source, problem)).join("\n"));
    this.problems = problems;
  }
}

/** Writes a problem in the form of compilers, so that editors find the place. */
function describe(source: string, { line, column, message }: Problem): string {
  return line === undefined ? `${source}: ${message}` : `${source}:${line}:${column ?? 1}: ${message}`;
}
