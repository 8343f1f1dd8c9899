/** One thing that is wrong with a scenario's text. */
export interface ScenarioProblem {
  /** Where it stands, both from 1; absent where the text cannot show it. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** A text that is not a scenario, with everything that is wrong with it. */
export class InvalidScenario extends Error {
  override readonly name = "InvalidScenario";
  readonly problems: readonly ScenarioProblem[];

  constructor(source: string, problems: readonly ScenarioProblem[]) {
    super(problems.map((problem) => describe(source, problem)).join("\n"));
    this.problems = problems;
  }
}

/** As compilers do, so that editors find the place. */
function describe(source: string, { line, column, message }: ScenarioProblem): string {
  return line === undefined ? `${source}: ${message}` : `${source}:${line}:${column ?? 1}: ${message}`;
}
