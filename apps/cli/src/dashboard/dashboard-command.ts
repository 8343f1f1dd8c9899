import { untilAborted } from "@kintsugi/clock";
import { accessTo, adminClient, clusterNamed, wayTo } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { openInBrowser } from "../base/open-in-browser.ts";
import { parseCount } from "../base/option-values.ts";
import { createLab } from "./lab.ts";
import { type LocalProxy, startLocalProxy } from "./local-proxy.ts";

interface DashboardOptions {
  name: string;
  kubeconfig?: string;
  port: number;
  open: boolean;
}

/** Number of random bytes that cannot be guessed. */
const tokenBytes = 24;

export const dashboard: Command = {
  declare(program, run) {
    program
      .command("dashboard")
      .description("Serve the page that shows the cluster live, on loopback, with the kubeconfig's rights")
      .addOption(new ClusterOption("reads"))
      .option(...kubeconfigOption)
      .option("--port <port>", "local port; 0 picks a free one", parseCount({ min: 0, max: 65_535 }), 0)
      .option("--no-open", "only print the address")
      .action(run((context, options: DashboardOptions) => serve(context, options)));
  },
};

async function serve(context: CommandContext, options: DashboardOptions): Promise<void> {
  const { random, terminal, signal } = context;
  const access = await accessTo(options);
  const token = Buffer.from(random.bytes(tokenBytes)).toString("base64url");
  const cluster = options.kubeconfig === undefined ? await clusterNamed(options.name) : undefined;
  const client = cluster && adminClient(context, cluster);
  const lab = cluster && client && createLab({ cluster, client, clock: context.clock, signal });
  await using proxy = await listen(
    () => startLocalProxy(access, { port: options.port, token, lab, way: wayTo(options) }),
    options.port,
  );
  terminal.out(`The dashboard of ${access.context} is at ${proxy.url}`);
  terminal.out("The address contains this run's secret, which grants the rights of your kubeconfig. Ctrl-C ends it.");
  if (options.open) openInBrowser(context.config, proxy.url);
  await untilAborted(signal);
  await client?.close();
}

async function listen(start: () => Promise<LocalProxy>, port: number): Promise<LocalProxy> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CommandError(`port ${port} is taken: choose another port with --port`);
  }
}
