import { type Command, CommandError } from "../base/command.ts";
import { ask, type TestServerOptions, withAccess } from "./test-server-client.ts";

interface FaultObject {
  metadata: { name: string };
  spec: { fault: string; target?: string };
  status: { state: string };
}

interface CallOptions extends TestServerOptions {
  with: readonly string[];
  for?: string;
  seed?: string;
}

export const fault: Command = {
  declare(program, run) {
    const group = program.command("fault").description("Call faults on a test server, and undo them");
    const call = group
      .command("call")
      .argument("<fault-and-target...>", "name of the fault, and of its target where it has one")
      .description("Call a fault, such as kill-node node-1, or api-refuses --with share=0.25")
      .option(
        "--with <name=value>",
        "setting of the fault; may be repeated",
        (text, all: string[]) => [...all, text],
        [],
      )
      .option("--for <duration>", "cluster time after which the fault is undone")
      .option("--seed <number>", "seed of all random choices");
    const list = group.command("list").description("Print the faults in force");
    const undo = group.command("undo [name]").description("Undo a fault by its name, or all of them");
    for (const command of [call, list, undo]) withAccess(command);
    call.action(
      run(async (context, [name, target, ...others]: [string, string?, ...string[]], options: CallOptions) => {
        if (others.length > 0)
          throw new CommandError("a fault has one target: call the fault again for another target");
        const { for: forText, seed } = options;
        const body = {
          fault: name,
          with: settingsOf(options.with),
          ...(target !== undefined && { target }),
          ...(forText !== undefined && { for: forText }),
          ...(seed !== undefined && { seed: Number(seed) }),
        };
        const answer = await ask<FaultObject>(context, options, { method: "POST", path: "faults", body });
        context.terminal.out(options.json === true ? JSON.stringify(answer) : line(answer));
      }),
    );
    list.action(
      run(async (context, options: TestServerOptions) => {
        const answer = await ask<{ items: FaultObject[] }>(context, options, { method: "GET", path: "faults" });
        if (options.json === true) return context.terminal.out(JSON.stringify(answer));
        if (answer.items.length === 0) context.terminal.out("no fault is in force");
        for (const each of answer.items) context.terminal.out(line(each));
      }),
    );
    undo.action(
      run(async (context, name: string | undefined, options: TestServerOptions) => {
        const path = name === undefined ? "faults" : `faults/${encodeURIComponent(name)}`;
        const answer = await ask<{ message?: string }>(context, options, { method: "DELETE", path });
        const text = name === undefined ? (answer.message ?? "") : `${name} is undone`;
        context.terminal.out(options.json === true ? JSON.stringify(answer) : text);
      }),
    );
  },
};

function line({ metadata, spec, status }: FaultObject): string {
  const words = { InForce: "is in force", Waiting: "has not occurred yet", Struck: "has occurred, and is over" };
  const state = words[status.state as keyof typeof words] ?? status.state;
  return `${metadata.name}: ${spec.fault}${spec.target === undefined ? "" : ` of ${spec.target}`} ${state}`;
}

/** "share=0.25" is a number; other values are strings. */
function settingsOf(texts: readonly string[]): Record<string, number | string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new CommandError(`--with ${text} must be a name and a value, such as share=0.25`);
      const value = text.slice(at + 1);
      const number = Number(value);
      return [text.slice(0, at), value.trim() !== "" && Number.isFinite(number) ? number : value];
    }),
  );
}
