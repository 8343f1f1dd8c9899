import { isApiError } from "@kintsugi/api";
import { type Client, ConnectionError, createHttpClient, kubeconfigPath, loadKubeconfig } from "@kintsugi/client";
import type { Command as Program } from "commander";
import { userAgent } from "../base/cluster-access.ts";
import { type CommandContext, CommandError } from "../base/command.ts";

/** Access to a test server; by default through the current context of kubectl. */
export interface TestServerOptions {
  kubeconfig?: string;
  context?: string;
  json?: boolean;
}

/** Adds the options of `TestServerOptions` to a command. */
export function withAccess(command: Program): Program {
  return command
    .option("--kubeconfig <file>", "kubeconfig of the test server (default: the file that kubectl uses)")
    .option("--context <name>", "context of the test server (default: the current context)")
    .option("--json", "print the answer of the server as JSON");
}

/** Time limit of a move of the clock. A move by months takes long. */
const answerMaxMs = 3_600_000;
const base = "/apis/kintsugi.dev/v1alpha1";

interface Asked {
  method: "GET" | "POST" | "DELETE";
  /** The path below the group of a test server: "clock". */
  path: string;
  body?: object;
}

/**
 * Sends a request to a test server.
 * @throws CommandError with a sentence for the user.
 */
export async function ask<Answer>(
  { clock, random, signal }: CommandContext,
  { kubeconfig, context }: TestServerOptions,
  { method, path, body }: Asked,
): Promise<Answer> {
  const file = kubeconfigPath(kubeconfig, process.env);
  const access = loadKubeconfig(file, context);
  const limits = { attemptTimeoutMs: answerMaxMs, callTimeoutMs: answerMaxMs };
  const client: Client = createHttpClient({ clock, random }, { ...access, userAgent, ...limits });
  try {
    return (await client.call({ method, path: `${base}/${path}`, ...(body && { body }), signal })) as Answer;
  } catch (error) {
    if (isApiError(error, "NotFound") && error.message.includes("the server could not find the requested resource"))
      throw new CommandError("this cluster is not a test server: `kintsugi test-server` starts one", { cause: error });
    if (isApiError(error) || error instanceof ConnectionError) throw new CommandError(error.message, { cause: error });
    throw error;
  } finally {
    await client.close();
  }
}
