import { isApiError, type Service, services } from "@kintsugi/api";
import { defaultServerOptions, kubernetesService, type ServerOptions } from "@kintsugi/api-server/factory";
import type { Client } from "@kintsugi/client";

/**
 * Makes the Service `kubernetes`, which every cluster has. It has no endpoints, because an address
 * of loopback must not be an endpoint. A data directory has it from the server before.
 */
export async function ensureKubernetesService(
  client: Client,
  options: Partial<Pick<ServerOptions, "serviceClusterIpRange">> & { readonly port: number },
): Promise<void> {
  const { port, serviceClusterIpRange } = { ...defaultServerOptions, ...options };
  const service = kubernetesService({ port }, serviceClusterIpRange) as Service;
  const { namespace = "", name = "" } = service.metadata;
  if ((await client.find(services, { namespace, name })) !== undefined) return;
  try {
    await client.create(services, service);
  } catch (error) {
    // Its address may belong to a Service that a user made once this one was deleted.
    if (!isApiError(error, "Invalid")) throw error;
  }
}
