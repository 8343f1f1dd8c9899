import { aptRunner, installPackages, type Requirement } from "@kintsugi/lab";
import type { CommandContext } from "./command.ts";

/**
 * Installs missing packages of a host, as a step on the terminal; a package that apt refuses has
 * its own line.
 */
export async function installWithStep(
  { config, terminal }: Pick<CommandContext, "config" | "terminal">,
  lacking: readonly Requirement[],
): Promise<void> {
  const names = [...new Set(lacking.map((requirement) => requirement.package))].join(" ");
  const failed = await terminal.step(`Installing ${names}`, () =>
    installPackages(aptRunner(config.inherited), lacking),
  );
  for (const { package: name, because } of failed) terminal.say(`   ${name} could not be installed: ${because}`);
}
