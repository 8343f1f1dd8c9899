import type { Command as Program, Option } from "commander";
import { Argument } from "commander";
import type { Command } from "../base/command.ts";
import {
  type CompletedCommand,
  type CompletedOption,
  completionScript,
  type Shell,
  shells,
} from "./completion-scripts.ts";

export const completion: Command = {
  declare(program, run) {
    program
      .command("completion")
      .description("Print the script that completes kintsugi in a shell: source <(kintsugi completion bash)")
      .addArgument(new Argument("<shell>", "shell that completes").choices(shells))
      .action(
        run(({ terminal }, shell: Shell) => {
          terminal.out(completionScript(shell, completedCommands(program)).trimEnd());
          return Promise.resolve();
        }),
      );
  },
};

/** Lists a command and its subcommands. */
export function completedCommands(program: Program, path = ""): CompletedCommand[] {
  const below = program.commands;
  const argumentChoices = program.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [
    {
      path,
      subcommands: [
        ...below.map((each) => ({ name: each.name(), description: each.description() })),
        ...argumentChoices.map((name) => ({ name, description: "" })),
      ],
      options: [...program.options.map(toCompleted), help],
    },
    ...below.flatMap((each) => completedCommands(each, path === "" ? each.name() : `${path} ${each.name()}`)),
  ];
}

const help: CompletedOption = {
  flags: ["-h", "--help"],
  description: "display help for command",
  takesValue: false,
  choices: [],
  isPath: false,
};

function toCompleted(option: Option): CompletedOption {
  return {
    flags: [option.short, option.long].filter((each) => each !== undefined && each !== null),
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    isPath: /<(file|directory|path)>/.test(option.flags),
  };
}
