import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nearestWord } from "@kintsugi/yaml-text";

/** The text of a scenario, and its name in messages. */
export interface ScenarioText {
  readonly source: string;
  readonly text: string;
}

/** The user's request cannot be carried out; the message is complete. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A file, or a built-in scenario by its name. @throws UsageError when neither exists. */
export function findScenario(asked: string, shippedDirectory: string): ScenarioText {
  const names = shippedNames(shippedDirectory);
  const path = names.includes(asked) ? join(shippedDirectory, `${asked}.yaml`) : asked;
  if (!existsSync(path)) {
    const near = nearestWord(asked, names);
    const hint = near === undefined ? "" : `did you mean "${near}"? `;
    throw new UsageError(
      `there is no file or scenario "${asked}"; ${hint}\`kintsugi simulate --list\` lists the scenarios`,
    );
  }
  return { source: names.includes(asked) ? `${asked}.yaml` : asked, text: readText(path) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The built-in scenarios, by name. */
export function shippedNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
}
