import { untilAborted } from "@kintsugi/clock";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { openInBrowser } from "../base/open-in-browser.ts";
import { parseCount } from "../base/option-values.ts";
import { serveFiles, type ServedFiles } from "./serve-files.ts";

interface PlaygroundOptions {
  port: number;
  open: boolean;
}

export const playground: Command = {
  declare(program, run) {
    program
      .command("playground")
      .description("Serve the playground, a running cluster in a tab of the browser, on loopback; needs no root")
      .option("--port <port>", "local port; 0 picks a free one", parseCount({ min: 0, max: 65_535 }), 0)
      .option("--no-open", "only print the address")
      .action(run((context, options: PlaygroundOptions) => serve(context, options)));
  },
};

async function serve({ config, terminal, signal }: CommandContext, options: PlaygroundOptions): Promise<void> {
  await using served = await listen(config.playgroundDirectories, options.port);
  terminal.out(`The playground is at ${served.url}; Ctrl-C ends it.`);
  if (options.open) openInBrowser(config, served.url);
  await untilAborted(signal);
}

/** @throws CommandError when the port is in use, or the page is not built. */
async function listen(folders: readonly string[], port: number): Promise<ServedFiles> {
  try {
    return await serveFiles(folders, { port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new CommandError(`port ${port} is taken: choose another port with --port`);
    if (code === "EACCES" && port !== 0)
      throw new CommandError(`port ${port} is for root: choose one from 1024 on with --port`);
    if (code === "ENOENT")
      throw new CommandError(`the playground is not built: run \`npm run bundle\` first (${message})`);
    throw error;
  }
}
