import { spawn } from "node:child_process";
import { once } from "node:events";
import { AlreadyTold, type Command, type CommandContext } from "../base/command.ts";

interface SimulateOptions {
  compare?: string;
  seed?: string;
  json?: boolean;
  html?: string;
  site?: string;
  full?: boolean;
  list?: boolean;
}

export const simulate: Command = {
  declare(program, run) {
    program
      .command("simulate [scenario]")
      .description(
        "Simulate a scenario in virtual time, and print its timeline and the downtime and degraded time of every workload",
      )
      .option(
        "--compare <other>",
        "compare with other settings: a profile, a file, or timers.node-monitor-grace-period=20s",
      )
      .option("--seed <number>", "seed of the random choices that the scenario leaves open")
      .option("--json", "print the report as one JSON object")
      .option(
        "--html <file>",
        "also write a page on which the run can be watched, or with --compare a page of the two reports",
      )
      .option(
        "--site <url>",
        "address of the folder where the page of --html is published; also write the picture of its preview",
      )
      .option("--full", "print the whole timeline instead of its turning points")
      .option("--list", "list the built-in scenarios")
      .action(
        run((context, scenario: string | undefined, options: SimulateOptions) =>
          simulateIn(context, scenario, options),
        ),
      );
  },
};

/**
 * The simulator is a separate program, which includes every service. @throws AlreadyTold when it
 * fails.
 */
async function simulateIn(
  { config, signal }: CommandContext,
  scenario: string | undefined,
  { list, compare, seed, json, html, site, full }: SimulateOptions,
): Promise<void> {
  const args = [
    ...(scenario === undefined ? [] : [scenario]),
    ...(list === true || scenario === undefined ? ["--list"] : []),
    ...(json === true ? ["--json"] : []),
    ...(full === true ? ["--full"] : []),
    ...Object.entries({ compare, seed, html, site }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    ),
  ];
  const [program = "", ...words] = config.simulatorCommand;
  const child = spawn(program, [...words, "scenario", ...args], { stdio: "inherit", signal });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new AlreadyTold(code ?? 1);
}
