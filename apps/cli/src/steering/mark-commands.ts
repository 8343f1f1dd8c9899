import type { Command } from "../base/command.ts";
import { ask, type TestServerOptions, withAccess } from "./test-server-client.ts";

interface MarkAnswer {
  metadata: { name: string };
  status: { objects: number };
}

interface ResetAnswer {
  status: { restored: number; removed: number; tookMs: number };
}

export const mark: Command = {
  declare(program, run) {
    const command = program
      .command("mark [name]")
      .description("Record all objects of a test server for `kintsugi reset`");
    withAccess(command).action(
      run(async (context, name: string | undefined, options: TestServerOptions) => {
        const body = name === undefined ? {} : { name };
        const answer = await ask<MarkAnswer>(context, options, { method: "POST", path: "marks", body });
        const { metadata, status } = answer;
        const text = `${status.objects} objects are marked as ${metadata.name}`;
        context.terminal.out(options.json === true ? JSON.stringify(answer) : text);
      }),
    );
  },
};

export const reset: Command = {
  declare(program, run) {
    const command = program
      .command("reset <mark>")
      .description("Restore all objects of a test server to their state at a mark, while clients stay connected");
    withAccess(command).action(
      run(async (context, name: string, options: TestServerOptions) => {
        const answer = await ask<ResetAnswer>(context, options, {
          method: "POST",
          path: "resets",
          body: { mark: name },
        });
        const { restored, removed, tookMs } = answer.status;
        const text = `${restored} objects restored and ${removed} removed in ${Math.round(tookMs)} ms`;
        context.terminal.out(options.json === true ? JSON.stringify(answer) : text);
      }),
    );
  },
};
