import type { z } from "zod";
import { explainIssue, pathText } from "./explain-issue.ts";
import { InvalidFile } from "./problem.ts";
import { type Path, YamlText } from "./yaml-text.ts";

export interface YamlSource<Schema> {
  readonly schema: Schema;
  /** The text's name in messages: its file. */
  readonly source: string;
  /** The name of the whole document, for a message about all of it: "scenario". */
  readonly whole: string;
}

/** Text that its schema accepts, and for which further errors can be reported. */
export interface ParsedYaml<T> {
  readonly value: T;
  /** Returns the error for faults that only the reader of the value can detect. */
  invalid(problems: readonly { path: Path; message: string }[]): InvalidFile;
}

/**
 * Reads a YAML text that people write.
 * @throws InvalidFile with everything that is wrong, each with its line, its column and the nearest
 * known word.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  { schema, source, whole }: YamlSource<Schema>,
): ParsedYaml<z.output<Schema>> {
  const yaml = new YamlText(text);
  if (yaml.problems.length > 0) throw new InvalidFile(source, yaml.problems);
  const parsed = schema.safeParse(yaml.value, { reportInput: true });
  if (!parsed.success)
    throw new InvalidFile(
      source,
      parsed.error.issues.flatMap((issue) => explainIssue(issue, { yaml, schema, whole })),
    );
  return {
    value: parsed.data,
    invalid: (problems) =>
      new InvalidFile(
        source,
        problems.map(({ path, message }) => ({
          ...yaml.positionOf(path),
          message: `${pathText(path, whole)}: ${message}`,
        })),
      ),
  };
}
