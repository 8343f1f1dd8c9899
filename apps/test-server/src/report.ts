import type { PublishedKubeconfig } from "./access/published-kubeconfig.ts";
import type { TestServerConfig } from "./config.ts";
import type { ServedCluster } from "./served-cluster.ts";

interface Reported {
  server: Pick<ServedCluster, "url" | "identities">;
  published: Pick<PublishedKubeconfig, "file" | "context">;
  config: Pick<TestServerConfig, "json" | "fleet">;
  pid: number;
}

/** The text that a server prints when it is ready: a line of JSON, or sentences for a person. */
export function report({ server, published, config, pid }: Reported): string {
  const { url, identities } = server;
  const { file, context } = published;
  const nodes = config.fleet.kubelets.length;
  if (config.json) {
    const { authority, token } = identities;
    return JSON.stringify({
      type: "ready",
      server: url,
      kubeconfig: file,
      context,
      ca: authority.certificate,
      token,
      nodes,
      pid,
    });
  }
  return [
    `A cluster of ${nodes} ${nodes === 1 ? "node" : "nodes"} is ready at ${url}; Ctrl-C ends it.`,
    `  kubectl --kubeconfig ${file} --context ${context} get nodes`,
  ].join("\n");
}
