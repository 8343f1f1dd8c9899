import { type Command, CommandError } from "../base/command.ts";
import { runInForeground } from "../base/run-in-foreground.ts";
import { ask, type TestServerOptions, withAccess } from "./test-server-client.ts";

interface Verdict {
  isOver: boolean;
  harm?: string;
  cheats: readonly string[];
  isCauseRight?: boolean;
  sinceSymptomMs: number;
}

interface CheckOptions extends TestServerOptions {
  cause?: string;
}

export const gym: Command = {
  declare(program, run) {
    const group = program.command("gym").description("Practise on clusters with hidden faults");
    const forwarded = [
      ["list", "Print the incidents with their symptoms"],
      ["causes", "Print the possible causes of incidents"],
    ] as const;
    for (const [name, description] of forwarded)
      group
        .command(name)
        .description(description)
        .action(run(({ config, signal }) => runInForeground([...config.gymCommand, name], { signal })));
    group
      .command("start")
      .description("Start a cluster with an incident, until Ctrl-C (--help lists the flags)")
      .helpOption(false)
      .allowUnknownOption()
      .argument("[incident-and-flags...]", "name of an incident, and flags such as --seed 7 or --json")
      .action(
        run(({ config, signal }, words: string[]) =>
          runInForeground([...config.gymCommand, "start", ...words], { signal }),
        ),
      );
    withAccess(group.command("check"))
      .description("Check whether the incident's harm has ended and its cause is found")
      .option("--cause <cause>", "cause of the incident, from the list of `kintsugi gym causes`")
      .action(
        run(async (context, options: CheckOptions) => {
          const body = options.cause === undefined ? {} : { cause: options.cause };
          const path = "incidentchecks";
          const { status } = await ask<{ status: Verdict }>(context, options, { method: "POST", path, body });
          context.terminal.out(options.json === true ? JSON.stringify(status) : textOf(status));
          if (!isPassed(status)) throw new CommandError("the incident is not solved yet");
        }),
      );
  },
};

function isPassed({ isOver, cheats, isCauseRight }: Verdict): boolean {
  return isOver && cheats.length === 0 && isCauseRight !== false;
}

function textOf({ isOver, harm, cheats, isCauseRight, sinceSymptomMs }: Verdict): string {
  const minutes = Math.round(sinceSymptomMs / 60_000);
  return [
    isOver
      ? `The harm has ended, ${minutes} minutes of cluster time after it was noticed.`
      : `The harm continues: ${harm}.`,
    ...cheats.map((cheat) => `This answer is not accepted: ${cheat}.`),
    ...(isCauseRight === undefined ? [] : [isCauseRight ? "That is its cause." : "That is not its cause."]),
  ].join("\n");
}
