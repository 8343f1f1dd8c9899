import { anySettings, type SettingFlag, type DesiredSettings } from "@kintsugi/lab";
import { Option, type Command as Program } from "commander";
import { parseOne } from "../base/option-values.ts";

/**
 * The options of `up`: desired settings, under the names of their flags, and the command's own
 * options.
 */
export interface UpOptions extends DesiredSettings {
  readonly dataDir: string;
  readonly wait: number;
  /** A topology. */
  readonly config?: string;
  readonly kubeconfig?: string;
}

/** The options that `up` and `demo` share. */
export function addUpOptions(program: Program): Program {
  for (const { name, help, flag } of anySettings) {
    if (flag !== undefined) program.addOption(toOption(help, flag));
    if (name === "name")
      program.option(
        "--config <file>",
        "topology: nodes with zones, labels and taints, images, ports (docs/recipes/describe-a-topology.md)",
      );
  }
  return program.hook("preAction", (command) => completeBareFlags(command));
}

/**
 * Sets the value of flags that were given without a value. Commander's own preset would appear in
 * the help.
 */
function completeBareFlags(command: Program): void {
  for (const { name, flag } of anySettings)
    if (flag?.preset !== undefined && command.getOptionValue(name) === true)
      command.setOptionValue(name, flag.parse?.(flag.preset, undefined));
}

function toOption(help: string, flag: SettingFlag<unknown>): Option {
  const { flags, choices, fallback } = flag;
  const option = new Option(flags, help);
  if (choices !== undefined) option.choices(choices);
  if (flag.parse !== undefined)
    option.argParser((text: string, before: unknown) => parseOne((each) => flag.parse?.(each, before))(text));
  if (fallback !== undefined) option.default(fallback.value, fallback.text);
  return option;
}
