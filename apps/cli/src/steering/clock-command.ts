import { formatDuration } from "@kintsugi/api";
import { type Command, type CommandContext, CommandError, type Runner } from "../base/command.ts";
import { ask, type TestServerOptions, withAccess } from "./test-server-client.ts";

interface ClockAnswer {
  status: { now: string; pace: number; state: string };
  advance?: {
    movedMs: number;
    passedOverMs: number;
    steps: number;
    settled: boolean;
    reached: boolean;
    message?: string;
  };
}

interface AdvanceOptions extends TestServerOptions {
  until?: string;
  of?: string;
  namespace: string;
  atMost?: string;
  giveClients?: string;
  everyHeartbeat?: boolean;
}

export const clock: Command = {
  declare(program, run) {
    const group = program.command("clock").description("Steer the clock of a test server that runs on a steered clock");
    const status = group.command("status").description("Print the time of the cluster, and whether its clock runs");
    withAccess(status).action(run((context, options: TestServerOptions) => show(context, options)));
    const advance = group
      .command("advance [duration]")
      .description("Move the clock through all timers that are due, by a duration or until an object meets a condition")
      .option("--until <expression>", "expression in CEL over `object`, the object of --of, that ends the move")
      .option("--of <resource/name>", "object of the condition, such as deployments.apps/web")
      .option("-n, --namespace <namespace>", "namespace of the object", "default")
      .option("--at-most <duration>", "maximum time to advance with --until")
      .option(
        "--give-clients <duration>",
        "real time without a client's request that ends a step whose events were sent to clients",
      )
      .option("--every-heartbeat", "also simulate hours that contain only heartbeats");
    withAccess(advance).action(
      run((context, duration: string | undefined, options: AdvanceOptions) => move(context, duration, options)),
    );
    const freeze = group.command("freeze").description("Pause the clock");
    withAccess(freeze).action(run((context, options: TestServerOptions) => setPace(context, 0, options)));
    declareRate(group, run);
  },
};

function declareRate(group: Parameters<Command["declare"]>[0], run: Runner): void {
  const rate = group
    .command("rate <seconds>")
    .description("Let that many seconds of the cluster pass in each second: 1, 60x");
  withAccess(rate).action(
    run((context, text: string, options: TestServerOptions) => {
      const pace = Number(text.replace(/x$/, ""));
      if (!Number.isFinite(pace) || pace < 0)
        throw new CommandError(`${JSON.stringify(text)} is not a rate: write 1 or 60x`);
      return setPace(context, pace, options);
    }),
  );
}

async function show(context: CommandContext, options: TestServerOptions): Promise<void> {
  print(context, options, await ask(context, options, { method: "GET", path: "clock" }));
}

async function setPace(context: CommandContext, pace: number, options: TestServerOptions): Promise<void> {
  print(context, options, await ask(context, options, { method: "POST", path: "clock", body: { pace } }));
}

async function move(context: CommandContext, duration: string | undefined, options: AdvanceOptions): Promise<void> {
  const { giveClients, everyHeartbeat } = options;
  const body = {
    ...(options.until === undefined ? { advance: duration ?? missing() } : untilOf(options, duration)),
    ...(giveClients !== undefined && { giveClients }),
    ...(everyHeartbeat === true && { everyHeartbeat }),
  };
  const answer = await ask<ClockAnswer>(context, options, { method: "POST", path: "clock", body });
  print(context, options, answer);
  if (answer.advance?.reached === false) throw new CommandError(answer.advance.message ?? "the condition was not met");
}

function missing(): never {
  throw new CommandError("state the duration: `kintsugi clock advance 10m`, or --until with --at-most");
}

function untilOf({ until, of, namespace, atMost }: AdvanceOptions, duration: string | undefined): object {
  if (duration !== undefined) throw new CommandError("with --until the maximum time is --at-most, not an argument");
  if (of === undefined)
    throw new CommandError("--until needs --of, the object of the condition, such as deployments.apps/web");
  if (atMost === undefined) throw new CommandError("--until needs --at-most, the maximum time to advance, such as 1h");
  const [resource = "", name = ""] = of.split("/", 2);
  if (name === "") throw new CommandError(`--of ${of} must be a resource and a name, such as deployments.apps/web`);
  return { until: { expression: until, resource, namespace, name }, atMost };
}

function print({ terminal }: CommandContext, { json }: TestServerOptions, answer: ClockAnswer): void {
  if (json === true) return terminal.out(JSON.stringify(answer));
  const { status, advance } = answer;
  if (advance) {
    const over = advance.passedOverMs === 0 ? "" : `, ${shown(advance.passedOverMs)} of it without any event`;
    const unsettled = advance.settled ? "" : "; some work had not ended when time continued";
    terminal.out(`moved by ${shown(advance.movedMs)} in ${advance.steps} steps${over}${unsettled}`);
  }
  const pace = status.state === "Running" ? `runs at ${status.pace}x` : "stands still";
  terminal.out(`the time of the cluster is ${status.now}, and its clock ${pace}`);
}

/** A move of minutes is shown in whole seconds. */
function shown(ms: number): string {
  return formatDuration(ms < 60_000 ? ms : Math.round(ms / 1000) * 1000);
}
