import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  assertKubeconfigIsFile,
  changeKubeconfigFile,
  hasEntry,
  kubeconfigPath,
  readKubeconfigDocument,
  withEntry,
  withoutEntry,
} from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { makeDirectory } from "@kintsugi/daemon";
import type { Identities } from "./identities.ts";

export interface KubeconfigRequest {
  /** The file that the user named. */
  kubeconfig: string | undefined;
  contextName: string | undefined;
  /** The file belongs to the server unless the user named a file. */
  isPrivate: boolean;
  environment: { KUBECONFIG?: string | undefined; HOME?: string | undefined };
}

export interface PublishedKubeconfig {
  readonly file: string;
  readonly context: string;
  /** Removes the context, and the file if it belongs to the server. */
  remove(): Promise<void>;
}

const defaultContext = "kintsugi-test-server";

/**
 * Writes the administrator's context, and makes it the current context.
 * @throws InvalidKubeconfig, UnusableDirectory, Error when the file cannot be written.
 */
export async function publishKubeconfig(
  deps: { clock: Clock },
  { url: server, port, identities }: { url: string; port: number; identities: Identities },
  request: KubeconfigRequest,
): Promise<PublishedKubeconfig> {
  const directory =
    request.isPrivate && request.kubeconfig === undefined
      ? await mkdtemp(join(tmpdir(), "kintsugi-test-server-"))
      : undefined;
  const file =
    directory === undefined
      ? resolve(kubeconfigPath(request.kubeconfig, request.environment))
      : join(directory, "kubeconfig");
  await makeDirectory(dirname(file), { flag: "--kubeconfig", mode: 0o755 });
  assertKubeconfigIsFile(file);
  const context = request.contextName ?? freeContext(file, port);
  const entry = {
    name: context,
    server,
    ca: identities.authority.certificate,
    cert: identities.administrator.certificate,
    key: identities.administrator.key,
  };
  await changeKubeconfigFile(deps, file, (document) => withEntry(document, entry));
  return {
    file,
    context,
    remove: async () => {
      if (directory !== undefined) return rm(directory, { recursive: true, force: true });
      await changeKubeconfigFile(deps, file, (document) => withoutEntry(document, context));
    },
  };
}

/** Two test servers of the same user have two different contexts. */
function freeContext(file: string, port: number): string {
  return hasEntry(readKubeconfigDocument(file), defaultContext) ? `${defaultContext}-${port}` : defaultContext;
}
